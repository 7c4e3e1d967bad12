"""What a reader of the article can place, has read, or would take for somebody else."""

from __future__ import annotations

from sidelight.generation.extractive.write_report.knowledge import Reader
from sidelight.generation.statements.statements import Statement
from sidelight.schemas.investigation.angle import ArticleProfile

READER = Reader(
    ArticleProfile(
        title="Bog bill will cost 4,000 jobs",
        publisher="Sentinel Policy Journal",
        host="sentinelpolicy.example",
        authors=("Garrick Voss",),
        subject="bog bill",
        body=(
            "The ministry's hydrological model is built on 14 monitoring wells in a single bog. "
            "The bill will cost the valley 4,000 jobs by the best economic estimate there is."
        ),
    )
)


def loose(*phrases: str) -> Statement:
    return Statement("A statement.", 1, 1, phrases)


def test_a_kind_is_placed_if_the_article_names_it() -> None:
    assert READER.can_place(loose("hydrological model"), "")
    assert not READER.can_place(loose("corrected ratio"), "")
    assert not READER.can_place(loose("hydrological model", "company"), "")


def test_the_article_is_placed_on_a_page_that_names_outlet_or_author() -> None:
    assert READER.can_place(loose("article"), "A ruling on Sentinel Policy Journal")
    assert not READER.can_place(loose("article"), "A page on sheep")


def test_what_the_article_says_has_been_read() -> None:
    assert READER.has_read("The bill will cost the valley 4,000 jobs by the best estimate.")
    assert not READER.has_read("The ministry expects 540 to 780 jobs to go by 2028.")


def test_news_are_figures_and_names_that_the_article_lacks() -> None:
    figures, names = READER.news("Dunmoor Growing Media counted 1,040 of the 4,000 jobs.")
    assert figures == {"1040"}
    assert {"dunmoor", "growing", "media"} == names


def test_a_namesake_is_somebody_else() -> None:
    assert READER.means_another("Marten Voss won the Tour of the Valley in 2017.", "")
    assert READER.means_another("Voss won the Tour of the Valley in 2017.", "Marten Voss")
    assert not READER.means_another("Voss has been a fellow since 2018.", "Garrick Voss")
    assert not READER.means_another("Mr Voss has been a fellow since 2018.", "")


def test_to_say_what_the_article_said_is_to_retell_it() -> None:
    assert READER.retells("The article said that the bill would cost the valley 4,000 jobs.")
    assert not READER.retells("The article said 4,000 jobs, but the report counts a full closure.")


def test_nobody_places_a_subject_that_is_a_code() -> None:
    code = Statement("The holder of fellowship HL-77-0312 is Garrick Voss.", 1, 1)
    named = Statement("The Rural Fellowship, HL-77-0312, is held by Garrick Voss.", 1, 1)
    assert not READER.can_place(code, "")
    assert READER.can_place(named, "")


def test_a_page_on_somebody_of_the_same_name_is_about_another() -> None:
    page = "She is not the travel writer of the same name. Garrick Voss has thrown pots since 1998."
    assert READER.means_another("Garrick Voss has thrown pots since 1998.", page)


def test_to_say_what_the_outlet_told_its_readers_is_to_retell_it() -> None:
    assert READER.retells("Sentinel Policy Journal told its readers that 4,000 jobs would go.")
    assert READER.retells("Garrick Voss wrote about the bog bill in March.")
    assert not READER.retells("Peter Gorham said his team never wrote about parallel worlds.")


def test_who_asked_knows_the_words_of_the_question_and_has_read_nothing() -> None:
    asked = Reader(
        ArticleProfile(publisher="", host="", subject="", keywords=("bog", "bill"), body="")
    )
    assert asked.can_place(loose("bill"), "")
    assert not asked.can_place(loose("ratio"), "")
    assert not asked.retells("The article said that the bill is dead.")
    assert not asked.speaks_of_article("The story of the bill is long.")


def test_a_page_on_another_sense_of_a_name_in_the_title_is_about_another() -> None:
    assert READER.means_another("The Bog Bill is a steep road.", "Bog Bill (road)\nA road.")
    assert not READER.means_another(
        "The Bog Bill has been law since 2021.", "Bog Bill (ministry)\n"
    )
    assert not READER.means_another("Orrin is a steep road.", "Orrin (road)\nA road.")


def test_a_body_gets_the_one_full_name_that_the_article_has_for_it() -> None:
    reader = Reader(
        ArticleProfile(
            title="Bog bill",
            publisher="Orrin Post",
            host="orrinpost.example",
            subject="bog bill",
            body="The Kessel Water Board and Talvania's Food Institute met the Fuel Institute.",
        )
    )
    whole = reader.in_full(Statement("The Board ordered a survey.", 1, 1, ("Board",)))
    assert whole.text == "The Kessel Water Board ordered a survey."
    assert reader.can_place(whole, "")
    either = Statement("The Institute ordered a survey.", 1, 1, ("Institute",))
    assert reader.in_full(either) == either
    assert not reader.can_place(either, "")


def test_the_title_in_quotation_marks_is_the_article() -> None:
    said = Statement('An earlier version of "Bog bill will cost 4,000 jobs" said so.', 1, 1)
    assert READER.in_full(said).text == "An earlier version of the article said so."
    assert READER.is_about("Corrections\nBog bill will cost 4,000 jobs (14 March 2021).")


def test_what_a_statement_says_itself_needs_no_article() -> None:
    def places(text: str, phrase: str) -> bool:
        return READER.can_place(Statement(text, 1, 1, (phrase,)), "")

    assert places("The claim that wells run dry rests on one survey of 2012.", "claim")
    assert not places("The claim rests on one survey of 2012.", "claim")
    assert places("The hydrologist, Ines Corvane, has worked at Orrin since 2008.", "hydrologist")
    assert places("The main caveat is that Voss counted a full closure.", "main caveat")
    assert not places("The main caveat is that the sample was small.", "main caveat")
    assert places("The largest gap is rent, which Voss leaves out.", "largest gap")
    assert not places("The gap is rent, which Voss leaves out.", "gap")


def article(body: str, **fields: object) -> Reader:
    return Reader(
        ArticleProfile.model_validate(
            {
                "title": "Bog bill",
                "publisher": "",
                "host": "a.example",
                "subject": "bog bill",
                "body": body,
            }
            | fields
        )
    )


def test_a_word_inside_another_term_introduces_nothing() -> None:
    assert not article("The study of mice passed peer review.").can_place(loose("review"), "")
    assert article("The minister ordered a long review.").can_place(loose("review"), "")


def test_a_figure_of_the_article_is_placed_by_its_number() -> None:
    assert READER.can_place(loose("figure of 4,000"), "")
    assert not READER.can_place(loose("figure of 9,000"), "")


def test_the_study_is_the_one_the_article_cites_where_a_page_names_it() -> None:
    reader = article("Orrin found it.", studies=("University of Orrin",))
    assert reader.can_place(loose("experiment"), "The University of Orrin tested mice.")
    assert not reader.can_place(loose("experiment"), "A page on sheep")


def test_a_document_of_a_like_number_is_another() -> None:
    reader = article("The study, catalogued as MA-2021-0417, is new.")
    assert reader.means_another("Report MA-2020-0417 was paid for by Boxwell.", "")
    assert not reader.means_another("Report MA-2021-0417 was paid for by Skelvane.", "")


def test_a_surname_of_two_people_means_neither() -> None:
    reader = article(
        "Oswin Tarrell baked, and Corin Tarrell sells.", people=("Oswin Tarrell", "Corin Tarrell")
    )
    assert reader.means_another("Mr Tarrell was born in 1907 at Castle Dray.", "")
    assert not reader.means_another("Corin Tarrell was born in 1907 at Castle Dray.", "")


def test_the_group_of_a_trial_is_not_placed_by_the_words_of_the_article() -> None:
    reader = article("The veltose group of mice fell ill.")
    assert not reader.can_place(loose("veltose group"), "")


def test_an_article_named_by_its_title_is_not_called_the_article_twice() -> None:
    reader = article("Voss wrote it.", title="Bog bill rests on bad science")
    text = 'The article was headed "Bog bill rests on bad science".'
    assert reader.in_full(Statement(text, 1, 1)).text == text


def test_the_twist_of_a_page_on_another_twist_is_another() -> None:
    reader = article("The brannick twist is sold in Harle.", subject="brannick twist")
    text = "A rival firm tried to copy the twist with a cheaper sweetener."
    barley = f"He gave Talvania the barley twist. {text}"
    assert reader.means_another(text, barley)
    assert not reader.means_another(text, f"{barley} So is the brannick twist.")
    assert not reader.means_another(text, text)
