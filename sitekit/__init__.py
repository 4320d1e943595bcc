"""The tooling of the site: it runs the pages, proves their numerals and builds what a reader sees of the proof."""
