/** What stands in one object of a source, as JSON that is put behind its other fields: of two equal keys the last counts. */
export interface ContentRow {
  readonly why: string;
  readonly text: string;
  /** Under which it is rejected and counted; `undefined` where the row is taken. */
  readonly code?: string;
}

const MEGABYTES = 10_000_000;
const long = (letter: string) => letter.repeat(MEGABYTES);
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/** Numbers that are none, or none that can be, in a field of voting power. */
const powerRows = (field: string): readonly ContentRow[] => [
  { why: "1e309, which is Infinity", text: `"${field}":1e309`, code: "POWER_INVALID" },
  { why: "minus 1e309", text: `"${field}":-1e309`, code: "POWER_INVALID" },
  { why: "−1", text: `"${field}":-1`, code: "POWER_INVALID" },
  { why: "a little less than nothing", text: `"${field}":-5e-324`, code: "POWER_INVALID" },
  { why: "−0, which is 0", text: `"${field}":-0` },
  { why: "an integer past 2^53", text: `"${field}":9007199254740993` },
  { why: "the largest number", text: `"${field}":1.7976931348623157e308` },
  { why: "an integer past 2^53 as text", text: `"${field}":"9007199254740993"`, code: "BAD_SHAPE" },
  { why: "a number as text", text: `"${field}":"1"`, code: "BAD_SHAPE" },
  { why: "NaN as text", text: `"${field}":"NaN"`, code: "BAD_SHAPE" },
  { why: "a list of one", text: `"${field}":[1]`, code: "BAD_SHAPE" },
  { why: "an object with a value of its own", text: `"${field}":{"valueOf":1}`, code: "BAD_SHAPE" },
];

const timeRows = (field: string): readonly ContentRow[] => [
  { why: "a time of 1e309", text: `"${field}":1e309`, code: "TIME_IMPOSSIBLE" },
  { why: "a time before all time", text: `"${field}":-1`, code: "TIME_IMPOSSIBLE" },
  { why: "half a second", text: `"${field}":1650000000.5`, code: "TIME_IMPOSSIBLE" },
  { why: "milliseconds", text: `"${field}":1650000000000`, code: "TIME_IMPOSSIBLE" },
  { why: "a time past 2^53", text: `"${field}":9007199254740993`, code: "TIME_IMPOSSIBLE" },
  { why: "a time as text", text: `"${field}":"1650000000"`, code: "BAD_SHAPE" },
];

const idRows = (field: string): readonly ContentRow[] => [
  { why: "an id that climbs", text: `"${field}":"../../etc/passwd"`, code: "ID_INVALID" },
  { why: "an id of two dots", text: `"${field}":".."`, code: "ID_INVALID" },
  { why: "an id with a slash", text: `"${field}":"a/b"`, code: "ID_INVALID" },
  { why: "an id with a line end at its end", text: `"${field}":"0xab\\n"`, code: "ID_INVALID" },
  { why: "an id with a NUL", text: `"${field}":"0xab\\u0000"`, code: "ID_INVALID" },
  { why: "an id of half a character", text: `"${field}":"0xab\\ud800"`, code: "ID_INVALID" },
  { why: "an id that turns around", text: `"${field}":"\\u202e0xab"`, code: "ID_INVALID" },
  { why: "an id of nothing", text: `"${field}":""`, code: "ID_INVALID" },
  { why: "an id of ten megabytes", text: `"${field}":"${long("a")}"`, code: "ID_INVALID" },
  { why: "the id __proto__", text: `"${field}":"__proto__"`, code: "ID_INVALID" },
  { why: "the id constructor, a word like others", text: `"${field}":"constructor"` },
];

const POLLUTION: readonly ContentRow[] = [
  { why: "a __proto__ of its own", text: `"__proto__":{"polluted":true,"isDeleted":true}` },
  { why: "a constructor with a prototype", text: `"constructor":{"prototype":{"polluted":true}}` },
  { why: "a toString that is none", text: `"toString":1,"valueOf":null,"toJSON":"x"` },
  { why: "a million fields nobody asked for", text: `"more":[${"0,".repeat(200_000)}0]` },
];

/** Fields of a vote on a single-choice proposal of two options. */
export const VOTE_ROWS: readonly ContentRow[] = [
  ...powerRows("vp"),
  ...timeRows("created"),
  ...idRows("id"),
  ...POLLUTION,
  { why: "a voter named __proto__", text: `"voter":"__proto__"`, code: "ADDRESS_INVALID" },
  { why: "a voter named constructor", text: `"voter":"constructor"`, code: "ADDRESS_INVALID" },
  { why: "a voter of ten megabytes", text: `"voter":"0x${long("a")}"`, code: "ADDRESS_INVALID" },
  { why: "a voter and a line end", text: `"voter":"0x${"ab".repeat(20)}\\n"`, code: "ADDRESS_INVALID" },
  { why: "a voter in wide digits", text: `"voter":"0x${"\\uff11".repeat(40)}"`, code: "ADDRESS_INVALID" },
  {
    why: "a voter of 41 digits and a letter",
    text: `"voter":"0x${"a".repeat(40)}g"`,
    code: "ADDRESS_INVALID",
  },
  { why: "a voter that is a number", text: `"voter":7`, code: "BAD_SHAPE" },
  { why: "a voter that is null", text: `"voter":null`, code: "BAD_SHAPE" },
  { why: "a vote on another proposal", text: `"proposal":{"id":"0x9"}`, code: "PROPOSAL_UNKNOWN" },
  { why: "a vote on __proto__", text: `"proposal":{"id":"__proto__"}`, code: "PROPOSAL_UNKNOWN" },
  { why: "a vote on a number", text: `"proposal":7`, code: "BAD_SHAPE" },
  {
    why: "another vote of the second voter",
    text: `"voter":"0x${"2".padStart(40, "0")}"`,
    code: "DUPLICATE_VOTE",
  },
  { why: "a reason of ten megabytes", text: `"reason":"${long("x")}"` },
  { why: "a reason of half a character", text: `"reason":"\\udfff"` },
  { why: "a reason that is a number", text: `"reason":7`, code: "BAD_SHAPE" },
  { why: "a state nobody knows", text: `"vp_state":"__proto__"` },
  ...[
    ["option 0", "0"],
    ["option −1", "-1"],
    ["option 1e309", "1e309"],
    ["an option past 2^53", "9007199254740993"],
    ["an option as text", `"1"`],
    ["half an option", "1.5"],
    ["null", "null"],
    ["a list for one option", "[1]"],
    ["weights of __proto__", `{"__proto__":{"1":1}}`],
    ["weights of 1e309", `{"1":1e309}`],
    ["sixty lists in one another", deep(58)],
    ["a list of 100,000 options", `[${"1,".repeat(100_000)}1]`],
    ["ten megabytes that were never decrypted", `"0x${long("a")}"`],
  ].map(([why, choice]) => ({
    why: `a choice of ${why}`,
    text: `"choice":${choice}`,
    code: "CHOICE_UNREADABLE",
  })),
];

/** Fields of a proposal. */
export const PROPOSAL_ROWS: readonly ContentRow[] = [
  ...powerRows("quorum"),
  ...powerRows("scores_total"),
  ...timeRows("start"),
  ...timeRows("created"),
  ...idRows("id"),
  ...POLLUTION,
  {
    why: "a vote that ends before it starts",
    text: `"start":1650000001,"end":1650000000`,
    code: "ENDS_BEFORE_START",
  },
  { why: "the id of another row", text: `"id":"0xp2"`, code: "PROPOSAL_DUPLICATE" },
  { why: "−1 votes", text: `"votes":-1`, code: "BAD_SHAPE" },
  { why: "half a vote", text: `"votes":1.5`, code: "BAD_SHAPE" },
  { why: "1e309 votes", text: `"votes":1e309`, code: "BAD_SHAPE" },
  { why: "votes past 2^53", text: `"votes":9007199254740993`, code: "BAD_SHAPE" },
  { why: "votes as text", text: `"votes":"0"`, code: "BAD_SHAPE" },
  { why: "a state nobody knows", text: `"state":"constructor"`, code: "BAD_SHAPE" },
  { why: "flagged as text", text: `"flagged":"true"`, code: "BAD_SHAPE" },
  { why: "a type nobody knows", text: `"type":"of-next-year"` },
  { why: "the type constructor", text: `"type":"constructor"` },
  { why: "an author named __proto__", text: `"author":"__proto__"`, code: "ADDRESS_INVALID" },
  { why: "options that are a text", text: `"choices":"yes"`, code: "BAD_SHAPE" },
  { why: "100,000 options", text: `"choices":[${'"a",'.repeat(100_000)}"a"]` },
  { why: "a link of 70,000 characters", text: `"discussion":"${"x".repeat(70_000)}"`, code: "BAD_SHAPE" },
  { why: "a link with a NUL that turns around", text: `"discussion":"a\\u0000\\u202e\\ud800b"` },
  { why: "a title that is a number", text: `"title":7`, code: "BAD_SHAPE" },
  {
    why: "strategies with names of every object",
    text: `"strategies":[{"__proto__":1,"constructor":{},"toString":1e309}]`,
  },
  { why: "strategies nested as deep as may be", text: `"strategies":${deep(57)}` },
];

/** Titles and names, as JSON texts, and what is kept of them. */
export const TEXT_ROWS: readonly {
  readonly why: string;
  readonly text: string;
  readonly kept: string | undefined;
  /** Where more is kept of a title than of a name. */
  readonly title?: string;
}[] = [
  { why: "half a character", text: "a\\ud800b", kept: "a\ufffdb" },
  { why: "the other half", text: "a\\udc00", kept: "a\ufffd" },
  { why: "text that turns around", text: "pay \\u202e\\u2066evil\\u2069", kept: "pay evil" },
  { why: "characters without width", text: "Uni\\u200bs\\u200dwap\\ufeff", kept: "Uniswap" },
  { why: "control characters", text: "a\\u0000\\u0007\\u001b[31m\\u0085\\u009fb", kept: "a[31mb" },
  { why: "line ends", text: "a\\nb\\u2028c\\r", kept: "abc", title: "a b c" },
  {
    why: "200 letters with accents of their own",
    text: "e\\u0301".repeat(200),
    kept: "é".repeat(100),
    title: "é".repeat(200),
  },
  {
    why: "200 characters of two halves",
    text: "\\ud83d\\ude00".repeat(200),
    kept: "😀".repeat(100),
    title: "😀".repeat(200),
  },
  { why: "ten megabytes", text: long("x"), kept: "x".repeat(100), title: "x".repeat(200) },
  {
    why: "ten megabytes of what is not seen, and a letter",
    text: `${"\\u200b".repeat(1_500_000)}a`,
    kept: undefined,
  },
  { why: "nothing that is seen", text: "\\u200b\\u0000 ", kept: undefined },
  { why: "__proto__", text: "__proto__", kept: "__proto__" },
];
