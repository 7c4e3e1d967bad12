from sidelight.text import figures, is_negated, names, stems


def test_inflections_and_invisible_marks_make_no_difference():
    assert stems("funded the companies") == stems("funding a company") == {"fund", "compan"}
    assert stems("fun\u200bding") == stems("funding")
    assert stems("publisher's") == stems("publishers")


def test_figures_and_names():
    assert figures("T1,200 in 2019, 38%") == {"1200", "2019", "38%"}
    assert names("The Kessel Valley team met Maris") == {"kessel", "valley", "maris"}


def test_a_negation_is_a_word_of_its_own_or_contracted():
    assert is_negated("It is not so.")
    assert is_negated("It isn\u2019t so, n\u200bor will it be.")
    assert not is_negated("The notary knows nonetheless.")
