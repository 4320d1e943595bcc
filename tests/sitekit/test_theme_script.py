"""The theme's script is changed where it is known, and a script that is not the known one is refused."""

from pathlib import Path

import material
import pytest

from sitekit import theme_script

SCRIPT = next(
    (Path(material.__file__).parent / "templates" / "assets" / "javascripts").glob("bundle.*.min.js")
)


def test_every_change_is_made_once():
    text = SCRIPT.read_text(encoding="utf-8")
    changed = theme_script.changed(text)
    for new in theme_script.CHANGES.values():
        assert changed.count(new) == text.count(new) + 1
    assert "sourceMappingURL" not in changed


@pytest.mark.parametrize("times", [0, 2])
def test_another_script_is_refused_with_what_it_lacks(times):
    text = SCRIPT.read_text(encoding="utf-8").replace("t=new Worker(e)", "t=new Worker(e)," * times)
    with pytest.raises(theme_script.Unknown, match=rf"'t=new Worker\(e\)' {times} times"):
        theme_script.changed(text)


def test_the_built_site_holds_the_changed_script_alone(site):
    (script,) = site.glob("assets/javascripts/bundle.*.min.js")
    assert script.read_text(encoding="utf-8") == theme_script.changed(SCRIPT.read_text(encoding="utf-8"))
    assert list(site.glob("assets/javascripts/*.map")) == []
