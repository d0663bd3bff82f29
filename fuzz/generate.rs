//! Broken trees from bytes: shared by the fuzzer and the property test of the macro.

/// Complete trees, and a child that is spawned at run time, one token per word.
const SEEDS: [&str; 5] = [
    "/// Doc.
    pub struct Shop ( config : Config , port : u16 ) { # ! [ strategy ( OneForOne , max_restarts = 10 , within = 10min ) ]
    # ! [ decider ( DbError :: Timeout { .. } => Restart , e : io :: Error if e . kind ( ) == x => Stop , _ => Restart , ) ]
    # [ cfg ( unix ) ] let pool = Pool :: connect ( & config . url ) . await ? ;
    # [ lifecycle ( Permanent , shutdown = 5s , handler = 5s , drain ) ] # [ backoff ( 3s .. 30s , factor = 2.0 , reset = 1min ) ]
    db : Db = Db :: open ( pool ) . await ? ,
    # [ backoff ( [ 2s , 5s ] , reset = 0s ) ] # [ mailbox ( Bounded ( 64 ) , ask = 1.5s ) ] # [ pre_restart ( Cart :: dump ) ] cart : Cart = Cart :: new ( db ) ,
    reports : struct Reports { # ! [ strategy ( AllForOne ) ] # ! [ shutdown ( 30s , Together ) ] daily : Report = Report :: daily ( db ) , } , }",
    "struct A { maybe : Option < Db > = if on { Some ( Db ) } else { None } , row : [ Db ; 2 ] = | i : usize | Db ( i ) ,
    # [ max_children ( 5 ) ] # [ max_starting ( 2 ) ] # [ initial ( [ 1 , 2 ] ) ] any : [ Db ] = | n : u32 | Db ( n ) ,
    keyed : [ String => Db ] = | k : String | Db ( k ) , # [ cfg ( unix ) ] t : task = | cx | serve ( cx ) ,
    ts : [ task ] = | n : u32 | | cx | serve ( cx , n ) , own : [ A ] = | | A :: tree ( ) , }
    struct B { a : A = A :: tree ( ) , let x = later ( t ) ; b : Db = Db ( later ( t ) , later ( c ) ) , t : task = f ( b , x ) , c : Db = Db ( b ) , }",
    "struct C < T : Row , const N : usize > ( first : T ) where T : Sync { # ! [ lifecycle ( Transient , shutdown = 1s ) ] # ! [ backoff ( 1s .. 2s ) ] # ! [ mailbox ( Bounded ( 3 ) , ask = 1s ) ] # [ limit ( max_restarts = Unlimited , on_limit = Stop ) ] # [ redeliver ( attempts = 3 ) ]
    # [ while_down ( Reject ) ] a : D = D , # [ lifecycle ( Transient , ready , significant , best_effort , start = 3s ) ]
    b : task = heartbeat ( a ) , pub let port : u16 = a . port ( ) ; c : Option < task > = None , d : [ Loader < T > ; N ] = | i : usize | Loader ( first ) , }",
    "struct F < T : Row > ( config : Config ) { # ! [ on ( \"worker\" , lease = 2s ) ] let rates : Rates = config . rates . clone ( ) ; db : Db = Db ,
    # [ on ( overlap = Allowed , window = 8 ) ] # [ lifecycle ( Permanent , start = 3s , shutdown = Infinity , drain ) ] # [ pre_restart ( Far :: dump ) ] a : remote Far < T > = Far :: load ( rates , db , later ( b ) ) . await ? ,
    c : Option < remote Far > = if config . on { Some ( Far ( a ) ) } else { None } , # [ on ( \"edge\" , spread = OnePerNode ) ] d : [ remote Far ; 4 ] = | i | Far ( i ) ,
    e : [ String => remote Far ] = | k : String , ( x , y ) : ( u8 , u8 ) | Far ( k , x , rates ) , below : struct G { f : [ remote Far ] = | n : u8 | Far ( n , d ) , } , b : Db = Db , }",
    "# [ lifecycle ( Transient , shutdown = 5s ) ] # [ limit ( max_restarts = 3 ) ] format ! ( \"db {n}\" ) : Db = { let x = y ; if let Some ( z ) = x { Db :: open ( z , self . w ) . await ? } else { Db ( | a | a + n ) } } ,",
];

/// The tokens that an edit inserts by mistake.
const WORDS: [&str; 97] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    "::",
    "=",
    "=>",
    ".",
    "..",
    "?",
    "#",
    "!",
    "|",
    "||",
    "&",
    "<",
    ">",
    "-",
    "struct",
    "where",
    "const",
    "'a",
    "let",
    "task",
    "pub",
    "fn",
    "if",
    "async",
    "await",
    "move",
    "self",
    "tree",
    "_",
    "r#type",
    "Option",
    "Some",
    "strategy",
    "decider",
    "limit",
    "lifecycle",
    "pre_restart",
    "post_restart",
    "backoff",
    "mailbox",
    "max_children",
    "max_starting",
    "handler",
    "runtime",
    "initial",
    "while_down",
    "redeliver",
    "only_with",
    "on",
    "remote",
    "lease",
    "OnePerNode",
    "Forbidden",
    "cfg",
    "doc",
    "OneForOne",
    "AllForOne",
    "Permanent",
    "Temporary",
    "shutdown",
    "Together",
    "max_restarts",
    "within",
    "on_limit",
    "Unlimited",
    "Infinity",
    "Bounded",
    "Auto",
    "5s",
    "0s",
    "10",
    "1.5",
    "\"text\"",
    "/// Doc.\n",
    "db",
    "Db",
    "min",
    "max",
    "s",
    "\"3s\"",
    "->",
    "mut",
    "use",
    "impl",
    "supervisor",
    "Vec",
    "Task",
    "Err",
];

/// A tree with a mistake in it. Its brackets are always balanced, because rustc gives a macro only balanced input.
#[allow(unreachable_pub)] // in a test
pub fn tree(bytes: &[u8]) -> String {
    let Some((&choice, rest)) = bytes.split_first() else { return String::new() };
    let mut words: Vec<&str> = match SEEDS.get(usize::from(choice) % (SEEDS.len() + 1)) {
        Some(seed) => split(seed),
        None => Vec::new(),
    };
    for edit in rest.chunks(3) {
        let [kind, at, word] = [0, 1, 2].map(|i| usize::from(*edit.get(i).unwrap_or(&0)));
        // Two bytes for the place: a seed has more words than one byte can count.
        let place = (at * 256 + word * 7) % (words.len() + 1);
        let word = WORDS[word % WORDS.len()];
        match kind % 8 {
            0 if place < words.len() => drop(words.remove(place)),
            1 if place < words.len() => words[place] = word,
            2 if place < words.len() => words.insert(place, words[place]),
            3 if place + 1 < words.len() => words.swap(place, place + 1),
            4 => words.truncate(place.max(1)),
            5 if !words.is_empty() => words.insert(place, words[at % words.len()]),
            _ => words.insert(place, word),
        }
    }
    balanced(&words)
}

fn split(seed: &'static str) -> Vec<&'static str> {
    let (doc, rest) = seed.split_once('\n').filter(|(doc, _)| doc.starts_with("///")).unwrap_or(("", seed));
    let doc = if doc.is_empty() { None } else { Some("/// Doc.\n") };
    doc.into_iter().chain(rest.split_whitespace()).collect()
}

fn balanced(words: &[&str]) -> String {
    let mut text = String::new();
    let mut open = Vec::new();
    for word in words {
        let closes = match *word {
            "(" => {
                open.push(")");
                None
            }
            "[" => {
                open.push("]");
                None
            }
            "{" => {
                open.push("}");
                None
            }
            ")" | "]" | "}" => Some(*word),
            _ => None,
        };
        match closes {
            Some(close) if open.last() == Some(&close) => drop(open.pop()),
            Some(_) => continue,
            None => {}
        }
        text.push_str(word);
        text.push(' ');
    }
    text.extend(open.iter().rev().flat_map(|close| [*close, " "]));
    text
}
