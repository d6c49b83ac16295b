"""The entities of a text that the questions of APES ask for, and their types."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import regex

from relevance.metrics.composing import compose
from relevance.metrics.models.files import ModelUnavailable


class Entity(NamedTuple):
    """A mention of a name, with its place in characters of the text."""

    start: int
    end: int
    label: str
    """The finder's own label; PER, ORG, LOC or MISC from the embedded finder."""


class LabelledText(NamedTuple):
    """A text with its entities, labelled PER, ORG, LOC and MISC."""

    text: str
    entities: tuple[Entity, ...]


ONTONOTES_LOC = "NATURAL_LOC"
"""Our label for OntoNotes' LOC: mountains, seas and continents, which APES does not ask for. Countries and cities are
GPE there, and LOC by the rules of CoNLL 2003."""

TYPES = {
    # the embedded finder, and spaCy pipelines trained on WikiNER
    "PER": "person",
    "ORG": "organisation",
    "LOC": "place",
    "MISC": "other",
    # spaCy pipelines trained on OntoNotes
    ONTONOTES_LOC: "other",
    "PERSON": "person",
    "NORP": "group",
    "GPE": "place",
    "FAC": "facility",
    "PRODUCT": "other",
    "EVENT": "other",
    "WORK_OF_ART": "other",
    "LAW": "other",
    "LANGUAGE": "other",
}
"""The type of each label of names; numbers, dates and amounts have none."""

DEFAULT_TYPES = ("person", "group", "organisation", "place", "facility")
"""The types that APES asks for by default: all but `other`, which has events, works and products."""


class FinderUnavailable(ModelUnavailable):
    """The entity finder is not available on this machine; the message says what to install."""


class Finder(Protocol):
    """The interface of entity finders."""

    @property
    def signature(self) -> str:
        """Its name with everything that its entities depend on, without `|`."""

    def find(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Return the entities of each text in order, none overlapping another."""


def find_entities(finder: Finder, texts: Sequence[str]) -> list[list[Entity]]:
    """Find the entities of texts, whatever form of Unicode these have. Raises what the finder raises."""
    composed = [compose(text) for text in texts]
    entities_of_texts = finder.find([text.text for text in composed])
    return [
        [Entity(*text.span(entity.start, entity.end), entity.label) for entity in entities]
        for text, entities in zip(composed, entities_of_texts, strict=True)
    ]


def entity_type(text: str, entity: Entity) -> str | None:
    """Return the type of an entity of a text: one of `TYPES`' values, or None for a label that is not in `TYPES`.

    A MISC that names people by nationality, region, religion or politics is a `group`, like spaCy's NORP.
    """
    kind = TYPES.get(entity.label)
    return "group" if entity.label == "MISC" and is_group(text[entity.start : entity.end]) else kind


def is_group(name: str) -> bool:
    """Tell whether a name is a nationality, region, religion or political group, such as "Irish-American"."""
    words = [word for word in regex.split(r"[\s\-‐‑–]+", name.lower()) if word]
    return (
        bool(words) and is_group_word(words[-1]) and all(is_group_word(word) or word in BEFORE for word in words[:-1])
    )


def is_group_word(word: str) -> bool:
    """Tell whether a lower-case word, singular, plural or with man or woman, is in `GROUPS`."""
    return any(word.removesuffix(ending) in GROUPS for ending in ENDINGS)


BEFORE_WORDS = """
    afro anglo anti central east eastern ex far former indo latin latter left mid neo new non north northern ortho
    post pre pro puerto right roman saudi sino sierra south southeast southern sri costa el trans ultra west
    western
"""
GROUP_WORDS = """
    abkhaz abkhazian aboriginal adventist afghan african afrikaner agnostic alaskan alawite albanian algerian
    american amerindian amish anarchist andalusian andorran anglican angolan animist antiguan arab arabian arabic
    argentine argentinean argentinian armenian ashkenazi asian assyrian atheist athenian australian austrian
    azerbaijani azeri babylonian bahai bahamian bahraini balinese balkan baltic bangladeshi baptist barbadian basque
    bavarian belarusian belarussian belgian belizean bengali beninese berber berliner bermudian bhutanese bolivarian
    bolivian bolshevik bosniak bosnian botswanan brazilian breton brit british briton bruneian buddhism buddhist
    bulgarian burkinabe burmese burundian byzantine californian calvinism calvinist cambodian cameroonian canadian
    caribbean carthaginian castilian catalan catholic catholicism caucasian celt celtic chadian chechen cherokee
    chicano chilean chinese christian christianity circassian colombian communist comoran confederate confucian
    congolese conservative coptic cornish corsican cossack creole croat croatian cuban cypriot czech czechoslovak
    czechoslovakian dane danish democrat democratic djiboutian dominican druze dutch ecuadorean ecuadorian egyptian
    emirati english episcopal episcopalian eritrean estonian ethiopian eurasian european evangelical fascist
    federalist fenian fijian filipina filipino finn finnish flemish floridian french gabonese gaelic galician
    gambian gaullist georgian german germanic ghanaian gibraltarian greek greenlandic grenadian guatemalan guinean
    guyanese gypsy haitian han hasidic hausa hawaiian hellenic hindu hinduism hispanic honduran huguenot hungarian
    hutu iberian icelander icelandic igbo indian indonesian inuit iranian iraqi irish iroquois islam islamic
    islamist ismaili israeli israelite italian ivorian jacobin jacobite jain jamaican japanese javanese jesuit jew
    jewish jordanian judaism kashmiri kazakh kazakhstani kenyan korean kosovan kosovar kurd kurdish kuwaiti kyrgyz
    labourite lankan lao laotian latin latina latino latvian lebanese leninist leonean liberal liberian libertarian
    libyan liechtensteiner lithuanian londoner loyalist lutheran luxembourgish macedonian malagasy malawian malay
    malaysian maldivian malian maltese manx maoist maori marxist mauritanian mauritian mayan mediterranean
    melanesian mennonite menshevik methodist mexican micronesian milanese moldovan monarchist monegasque mongol
    mongolian montenegrin moorish mormon moroccan moslem mozambican muslim myanmarese namibian nationalist navajo
    nazi neapolitan nepalese nepali netherlander nicaraguan nigerian nigerien nordic norman norse norwegian omani
    orthodox ossetian ottoman pacific pagan pakistani palestinian panamanian papuan paraguayan parisian parthian
    pashtun pentecostal peronist persian peruvian phoenician pole polish polynesian populist portuguese presbyterian
    protestant protestantism prussian punjabi puritan qatari quaker quebecois québécois rastafarian republican rican
    rohingya roma roman romanian romany royalist russian rwandan saami salafi salafist salvadoran salvadorean sami
    samoan sardinian satanist saudi saxon scandinavian scientologist scot scotch scots scottish senegalese serb
    serbian seychellois shi'ite shia shiite siberian sicilian sikh sikhism sikkimese silesian singaporean sinhalese
    sioux slav slavic slovak slovakian slovene slovenian socialist somali soviet spaniard spanish spartan stalinist
    sudanese sufi sumerian sunni surinamese swahili swazi swede swedish swiss syrian taiwanese tajik tamil tanzanian
    taoist tasmanian tatar texan thai tibetan tobagonian togolese tongan tories tory transylvanian trinidadian
    trotskyist tunisian turk turkic turkish turkmen tuscan tutsi tyrolean ugandan uighur ukrainian unionist
    unitarian uruguayan uyghur uzbek valencian vanuatuan venetian venezuelan vietnamese viking virginian wahhabi
    walloon welsh whig wiccan yazidi yemeni yemenite yoruba yugoslav yugoslavian zairean zambian zealander
    zimbabwean zionist zoroastrian zulu
"""
ENDINGS = ("", "'s", "’s", "s", "es", "men", "man", "women", "woman")
BEFORE = frozenset(BEFORE_WORDS.split())
"""The words allowed before a group's last word: "South African", "pro-Russian"."""
GROUPS = frozenset(GROUP_WORDS.split())
"""Adjectives and singular nouns, without `ENDINGS`."""
