"""The report: what a reader sees, in 80 columns, in JSON and in a notebook."""

import json

import numpy as np
import pytest

import attnref
from attnref import AttnRefError, assert_attention, check, explain, faults
from attnref.diagnosis import faulty


def test_the_causal_sentence_names_queries_and_keys():
    report = check(faulty("causal_alignment"))
    sentence = report.diagnoses[0].sentence
    assert "aligned to the top left" in sentence
    assert "with L_q = 3 and L_k = 5 query 0 should see keys 0–2, yours sees key 0" in sentence


def test_the_scale_sentence_names_both_factors():
    sentence = check(faulty("scale_missing")).diagnoses[0].sentence
    assert "with d_k = 4 they should be multiplied by 0.5, yours are multiplied by 1" in sentence


def test_a_diagnosis_shows_the_catalogue_numbers():
    item = check(faulty("scale_missing")).diagnoses[0]
    assert np.round(item.expected, 4).tolist() == [[[[0.8808]]]]
    assert np.round(item.yours, 4).tolist() == [[[[0.982]]]]
    assert item.inputs["Q"] == [[[[1.0, 1.0, 1.0, 1.0]]]]


@pytest.mark.parametrize(
    "fault", ["scale_missing", "mask_constant_leak", "causal_alignment", "online_rescale"]
)
def test_a_report_fits_eighty_columns(fault):
    text = str(check(faulty(fault)))
    assert max(map(len, text.splitlines())) <= 80
    assert "Change:" in text


def test_a_report_is_json_with_nan_as_words():
    report = check(faulty("masked_row_nan"))
    data = json.loads(report.to_json())
    assert data["ok"] is False
    assert data["diagnoses"][0]["fault"] == "masked_row_nan"
    assert "NaN" in json.dumps(data["diagnoses"][0]["yours"])


def test_a_report_is_html_and_escapes():
    def f(Q, K, V):
        raise ValueError("<b>")

    assert "<b>ValueError" not in check(f)._repr_html_()
    assert "&lt;b&gt;" in check(f)._repr_html_()


def test_the_same_seed_gives_the_same_report():
    f = faulty("mask_after_softmax")
    assert check(f, seed=2).to_json() == check(f, seed=2).to_json()


def test_a_report_is_true_where_all_is_right():
    report = assert_attention(lambda Q, K, V: attnref.attention(Q, K, V).output)
    assert report
    with pytest.raises(AssertionError, match="not divided"):
        assert_attention(faulty("scale_missing"))


def test_what_is_not_taken_is_not_tested():
    report = check(lambda Q, K, V: attnref.attention(Q, K, V).output)
    assert report.not_tested == (
        "mask, causal, scale, bias, window, softcap, lengths: the function takes no such argument.",
    )


def test_features_choose_what_is_tested():
    report = check(faulty("causal_dropped"), features=["mask"])
    assert report.ok
    assert any("causal" in text for text in report.not_tested)


@pytest.mark.parametrize(
    "options", [{"form": "atention"}, {"mask": "true"}, {"layout": "BHL"}, {"empty_row": 0}]
)
def test_a_misspelt_option_is_refused(options):
    with pytest.raises(AttnRefError, match="Write"):
        check(lambda Q, K, V: V, **options)


def test_an_unknown_fault_is_refused_with_the_nearest():
    with pytest.raises(AttnRefError, match="Did you mean 'scale_missing'"):
        explain("scale_mising")


def test_an_explanation_shows_right_and_wrong():
    text = str(explain("softmax_axis"))
    assert "Right:" in text
    assert "Wrong:" in text
    assert "Reported in: nerminnuraydogan" in text
    assert faults()["softmax_axis"].kind == "softmax"
