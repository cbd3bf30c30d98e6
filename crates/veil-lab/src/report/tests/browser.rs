//! A real browser opens the report: pictures have a size, nothing is wider than the page, the
//! console stays silent, and the first paint comes soon. Where there is no chromium, that is said.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{many, outcomes, report};

/// A page that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs in a copy of the report that allows it. Pictures that are not shown at this width have no
/// size and do not count.
const MEASURE: &str = r#"<script>
addEventListener("load", () => {
  let waited = 0;
  const timer = setInterval(() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    if (!paint && ++waited < 100) return;
    clearInterval(timer);
    const shown = [...document.querySelectorAll("figure > svg")].map(svg => svg.getBoundingClientRect()).filter(box => box.width > 0);
    const tables = [...document.querySelectorAll(".scroll")].filter(box => !box.closest("details")).map(box => box.getBoundingClientRect());
    const letters = [...document.querySelectorAll("figure > svg text")].map(text => text.getBoundingClientRect().height).filter(height => height > 0);
    console.log("measured" + JSON.stringify({
      pictures: shown.length,
      least_height: Math.min(...shown.map(box => box.height)),
      least_letter: Math.min(...letters),
      marks: document.querySelectorAll("figure > svg use").length,
      closed: [...document.querySelectorAll("figure details table")].filter(table => !table.checkVisibility({ contentVisibilityAuto: true })).length,
      page: innerWidth,
      widest: Math.max(document.documentElement.scrollWidth, ...shown.map(box => box.right), ...tables.map(box => box.right)),
      paper: getComputedStyle(document.body).backgroundColor,
      first_paint: paint ? paint.startTime : null,
    }) + "measured");
  }, 20);
});
</script>"#;

struct Chromium {
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Chromium {
    /// Nothing, and a printed reason, where there is none.
    fn find() -> Option<Chromium> {
        let folders: Vec<PathBuf> =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let programs = ["chromium", "chromium-browser", "google-chrome"];
        let found =
            folders.iter().flat_map(|folder| programs.map(|name| folder.join(name))).find(|program| program.is_file());
        // Past the capture of passing tests' output.
        let said = if found.is_some() { "in a browser: a report" } else { "no browser: skipped, there is no chromium" };
        let _ = writeln!(std::io::stderr(), "{said}");
        Some(Chromium { program: found?, home: tempfile::tempdir().unwrap() })
    }

    fn page(&self, name: &str, html: &str) -> PathBuf {
        let path = self.home.path().join(name);
        fs::write(&path, html).unwrap();
        path
    }

    /// What it logs about a page until `end` is in it.
    fn open(&self, page: &Path, options: &[&str], end: &str) -> String {
        let log = self.home.path().join("log");
        let mut child = Command::new(&self.program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--enable-logging=stderr", "--v=0"])
            .arg(format!("--user-data-dir={}", self.home.path().join("profile").display()))
            .args(options)
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let logged = String::from_utf8_lossy(&fs::read(&log).unwrap()).into_owned();
            let ended = child.try_wait().unwrap().is_some();
            if logged.contains(end) || ended || begun.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                assert!(logged.contains(end), "chromium did not say {end:?}: {logged}");
                return logged;
            }
        }
    }

    /// What the script says about a report, which has nothing else to say to the console; in a
    /// window or on a phone that is so wide.
    fn measure(&self, html: &str, phone: Option<u32>, options: &[&str]) -> Value {
        let policy = "<meta http-equiv=\"Content-Security-Policy\"";
        assert!(html.contains(policy));
        let allowed = html.replace(policy, "<meta name=\"no-policy\"").replace("</body>", &format!("{MEASURE}</body>"));
        let mut page = self.page("measured.html", &allowed);
        if let Some(width) = phone {
            // A window cannot be as narrow as a phone; a frame in it can.
            page = self.page(
                "phone.html",
                &format!("<iframe src=\"measured.html\" width=\"{width}\" height=\"844\" frameborder=\"0\">"),
            );
        }
        let log = self.open(&page, options, "}measured");
        assert_eq!(said(&log).len(), 1, "{log}");
        let json = log.split("measured{").nth(1).and_then(|rest| rest.split("}measured").next());
        serde_json::from_str(&format!("{{{}}}", json.unwrap_or_default())).unwrap()
    }
}

/// What pages said to the console.
fn said(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.contains("CONSOLE")).collect()
}

const LIGHT: &str = "--blink-settings=preferredColorScheme=1";
const DARK: &str = "--blink-settings=preferredColorScheme=0";

#[test]
fn it_opens_with_all_pictures_and_says_nothing_to_the_console() {
    let Some(chromium) = Chromium::find() else { return };
    // What is looked for would be found.
    let noisy = chromium.page("noisy.html", "<script>console.error('broken')</script>");
    assert_eq!(said(&chromium.open(&noisy, &[], "broken")).len(), 1);

    let outcomes = outcomes();
    let html = report(&outcomes).render();
    for (scheme, paper) in [(LIGHT, "rgb(253, 252, 250)"), (DARK, "rgb(21, 24, 28)")] {
        let found = chromium.measure(&html, None, &["--window-size=1280,900", scheme]);
        assert_eq!(
            (&found["pictures"], &found["page"], &found["paper"]),
            (&json!(5), &json!(1280), &json!(paper)),
            "{found}"
        );
        assert!(found["least_height"].as_f64() > Some(200.0) && found["marks"].as_u64() > Some(100), "{found}");
    }
}

#[test]
fn on_a_phone_letters_are_readable_and_nothing_is_cut_off() {
    let Some(chromium) = Chromium::find() else { return };
    for outcomes in [outcomes(), many(500, 10)] {
        let found = chromium.measure(&report(&outcomes).render(), Some(390), &[LIGHT]);
        assert_eq!(found["page"], json!(390), "{found}");
        assert!(found["widest"].as_f64() <= Some(390.0), "{found}");
        assert!(found["least_letter"].as_f64() >= Some(11.0), "{found}");
    }
}

/// What is closed on a screen is open on paper: with the rules of paper every table of numbers has
/// a height.
#[test]
fn on_paper_nothing_is_closed() {
    let Some(chromium) = Chromium::find() else { return };
    let outcomes = outcomes();
    let html = report(&outcomes).render();
    let closed = chromium.measure(&html, None, &["--window-size=1280,900", LIGHT]);
    assert_eq!(closed["closed"], json!(5), "{closed}");
    let paper =
        chromium.measure(&html.replace("@media print", "@media screen"), None, &["--window-size=1280,900", LIGHT]);
    assert_eq!(paper["closed"], json!(0), "{paper}");
}

#[test]
fn the_first_paint_comes_within_a_second() {
    let Some(chromium) = Chromium::find() else { return };
    for outcomes in [outcomes(), many(500, 10)] {
        let html = report(&outcomes).render();
        // The best of some: other work on the machine only makes it later.
        let mut paints =
            (0..10).map(|_| chromium.measure(&html, None, &["--window-size=1280,900"])["first_paint"].as_f64());
        assert!(paints.any(|paint| paint.is_some_and(|paint| paint < 1000.0)));
    }
}

#[test]
fn as_it_is_it_forbids_scripts() {
    let Some(chromium) = Chromium::find() else { return };
    // The test of the page's own policy: a script is refused, and the console says so.
    let outcomes = outcomes();
    let html = report(&outcomes).render().replace("</body>", "<script>document.title = 1</script></body>");
    let log = chromium.open(&chromium.page("own.html", &html), &[], "Content Security Policy");
    assert!(said(&log).iter().all(|line| line.contains("Executing inline script violates")), "{log}");
}
