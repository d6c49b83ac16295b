"""What takes long is computed in processes beside a hosted server: nobody's click waits for somebody's table."""
