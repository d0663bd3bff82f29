//! Compares `LEDGER.md` with the tests: all required numbers are there, each named test exists, each test is named, and
//! the totals are right.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

const LEDGER: &str = include_str!("LEDGER.md");

/// A system whose scenarios are answered.
struct System {
    /// The system's chapter in the ledger, and its row in the totals.
    title: &'static str,
    /// The letter of the system's numbers: `A107`, in names of tests `a107`.
    letter: char,
    /// The folder of the system's tests.
    folder: &'static str,
    /// The required numbers; the ledger may have more.
    must: &'static str,
}

const SYSTEMS: [System; 2] = [AKKA, OTP];

const AKKA: System = System {
    title: "Akka",
    letter: 'A',
    folder: "akka",
    must: "001 002 003 005 006 007 008 010 011 012 013 015 016 017 018 020 021 022 023 025 026 028 030 031 032 033 035 \
           036 037 040 041 042 043 045 046 047 048 050 051 052 053 055 056 057 060 061 063 065 066 067 068 070 071 072 \
           073 076 077 078 080 081 082 083 085 086 087 088 090 091 095 096 097 098 100 101 102 103 105 106 107 108 110 \
           111 113 115 116 117 120 122 123 125 126 127 128 130 131 133 136 137 138 140 141 142 143 145 146 147 148 151 \
           152 153 155 156 157 158 160 161 162 166 167 168 170 171 172 173 175 176 177 178 180 180a 180b 180c 180d \
           180e 180f 180g 180h 180i 185 186 187 188 190 191 192 193 195 196 197 198 200 202 206 210 215 216 217 218",
};

const OTP: System = System {
    title: "OTP",
    letter: 'O',
    folder: "otp",
    must: "001 002 003 005 006 007 008 010 011 012 013 015 016 017 018 020 021 022 023 025 026 027 028 030 031 \
           032 033 035 036 037 038 040 041 042 043 045 046 047 048 050 051 052 053 055 056 057 058 060 061 062 \
           063 065 066 067 068 070 071 072 073 075 076 077 078 080 081 082 083 085 086 087 088 090 091 092 093 \
           095 096 097 098 100 101 102 103 105 106 107 108 110 111 112 113 115 116 117 118 120 121 122 123 125 \
           126 127 128 130 131 132 133 135 136 137 138 140 141 142 143 145 146 147 148 150 151 152 153 155 156 \
           157 158 160 161 162 163 165 166 167 168 170 171 172 173 175 176 177 178 180 181 182 183 185 186 187 \
           188 190 191 192 193 195 196 197 198 200 201 202 203 205 206 207 208 210 211 212 213 215 216 217 218 \
           220 221 222 223 225 226 227 228 230 231 232 233 235 236 237 238 240 241 242 243 245 246 247 248 250 \
           251 252 253 255 256 257 258 260 261 262 263 265 266 267 268 270",
};

const VERDICTS: [&str; 4] = ["same", "different on purpose", "impossible by type", "not applicable"];

/// A scenario of the ledger.
struct Row<'a> {
    number: &'a str,
    sense: &'a str,
    verdict: &'a str,
    /// The test, as `basic::a001_its_name`, and the file in the link.
    test: Option<(&'a str, &'a str)>,
}

impl System {
    fn rows(&self) -> Vec<Row<'static>> {
        let heading = format!("\n## {}\n", self.title);
        let (_, chapter) = LEDGER.split_once(&*heading).unwrap_or_else(|| panic!("no chapter{heading}"));
        let chapter = chapter.split("\n## ").next().unwrap_or_default();
        let mut rows = Vec::new();
        for line in chapter.lines().filter(|line| line.starts_with('|')).skip(2) {
            let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [number, sense, verdict, test] = cells[..] else { panic!("not four cells: {line}") };
            let test = match test {
                "–" => None,
                link => link
                    .strip_prefix("[`")
                    .and_then(|link| link.strip_suffix(')')?.split_once("`]("))
                    .or_else(|| panic!("neither a test nor a dash: {line}")),
            };
            rows.push(Row { number, sense, verdict, test });
        }
        rows
    }

    /// The tests of the modules that run: their names with the module, and the file.
    fn tests(&self) -> BTreeMap<String, String> {
        let folder = here().join(self.folder);
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut found = BTreeMap::new();
        let main = read("mod.rs");
        for module in main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')) {
            let mut is_test = false;
            for line in read(&format!("{module}.rs")).lines().map(str::trim) {
                if line.starts_with("#[") {
                    is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
                } else if let Some((_, rest)) = line.split_once("fn ") {
                    if std::mem::take(&mut is_test) {
                        let name = rest.split('(').next().unwrap_or_default();
                        found.insert(format!("{module}::{name}"), format!("{}/{module}.rs", self.folder));
                    }
                } else {
                    is_test = false;
                }
            }
        }
        found
    }

    /// The expected row in the totals.
    fn totals(&self) -> String {
        let rows = self.rows();
        let counts = VERDICTS.map(|verdict| rows.iter().filter(|row| kind(row.verdict) == Some(verdict)).count());
        let [same, different, impossible, not] = counts;
        let tests = rows.iter().filter(|row| row.test.is_some()).count();
        format!("| {} | {} | {same} | {different} | {impossible} | {not} | {tests} |", self.title, rows.len())
    }
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

fn kind(verdict: &str) -> Option<&'static str> {
    let word = verdict.split(':').next().unwrap_or_default();
    VERDICTS.into_iter().find(|known| *known == word)
}

/// The first rule that a text names: `S14`.
fn rule(text: &str) -> Option<u32> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|word| word.strip_prefix('S')?.parse().ok())
}

/// The target of a link in the text to this folder.
fn link(text: &str) -> Option<&str> {
    text.split_once("](")?.1.split(')').next()
}

#[test]
fn every_number_is_answered_once_and_in_order() {
    for system in SYSTEMS {
        let rows = system.rows();
        let numbers: Vec<_> = rows.iter().map(|row| row.number).collect();
        assert!(numbers.windows(2).all(|two| two[0] < two[1]), "twice, or not in order: {numbers:?}");
        let missing: Vec<_> =
            system.must.split_whitespace().map(|number| format!("{}{number}", system.letter)).collect();
        let missing: Vec<_> = missing.iter().filter(|number| !numbers.contains(&&***number)).collect();
        assert!(missing.is_empty(), "no verdict: {missing:?}");
        assert!(numbers.iter().all(|number| number.starts_with(system.letter)), "{numbers:?}");
    }
}

#[test]
fn every_verdict_says_why() {
    for Row { number, sense, verdict, test } in SYSTEMS.iter().flat_map(System::rows) {
        assert!((2..=9).contains(&sense.split_whitespace().count()), "{number}: {sense}");
        let reason = verdict.split_once(": ").map_or("", |(_, reason)| reason);
        match kind(verdict) {
            Some("same") => assert!(reason.is_empty(), "{number}: the verdict `same` needs no reason"),
            Some("different on purpose") => {
                let named = reason.split_once(": ").and_then(|(named, _)| rule(named));
                assert!(named.is_some_and(|rule| (1..=43).contains(&rule)), "{number}: no rule is named: {verdict}");
            }
            Some("impossible by type") => {
                let file = link(reason).unwrap_or_else(|| panic!("{number}: no mistake is named: {verdict}"));
                assert!(here().join(file).is_file(), "{number}: {file} does not exist");
            }
            Some(_) => assert!(reason.len() > 15, "{number}: no reason is given"),
            None => panic!("{number}: {verdict} is not one of {VERDICTS:?}"),
        }
        let needs = matches!(kind(verdict), Some("same" | "different on purpose"));
        assert!(!needs || test.is_some(), "{number} has no test");
    }
}

#[test]
fn the_tests_are_there_and_named() {
    for system in SYSTEMS {
        let tests = system.tests();
        let mut named = BTreeSet::new();
        for Row { number, test, .. } in system.rows() {
            let Some((name, file)) = test else { continue };
            assert_eq!(tests.get(name).map(String::as_str), Some(file), "{number}: {name}");
            let prefix = format!("::{}_", number.to_lowercase());
            assert!(name.contains(&*prefix), "{number}: {name} has another number");
            named.insert(name);
        }
        let unnamed: Vec<_> = tests.keys().filter(|test| !named.contains(&***test)).collect();
        assert!(unnamed.is_empty(), "not in the ledger: {unnamed:?}");
    }
}

#[test]
fn the_totals_are_right() {
    for system in SYSTEMS {
        let totals = system.totals();
        assert!(LEDGER.lines().any(|line| line == totals), "the totals should have this row:\n{totals}");
    }
}
