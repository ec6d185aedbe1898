/** The IDs of a published version for the requests of the table. */
export interface ContractSubjects {
  /** A scored DAO with delegates, also on `day`. */
  readonly dao: string;
  readonly day: string;
  /** DAOs that lack some data, if the version has any. */
  readonly withoutDelegates: string | undefined;
  readonly withoutRisk: string | undefined;
  readonly unscored: string | undefined;
  readonly entityId: string;
  readonly wallet: string;
}

/** One request with the expected status and error code for Free and for the higher tiers. */
export interface ContractRow {
  readonly why: string;
  readonly url: string;
  readonly method?: "POST" | "PUT" | "DELETE" | "PATCH";
  readonly free: string;
  readonly pro: string;
}

const OK = "200";
const BAD = "400 INVALID_PARAMETER";
const TIER = "403 TIER_INSUFFICIENT";
const NONE = "404 NOT_FOUND";
const UNSCORED = "404 NOT_SCORED";
const METHOD = "405 METHOD_NOT_ALLOWED";

/** A request with the same response for every tier. */
const all = (why: string, url: string, want: string): ContractRow => ({ why, url, free: want, pro: want });
/** A request that Free may not make; Enterprise gets the same as Pro. */
const pro = (why: string, url: string, want: string): ContractRow => ({ why, url, free: TIER, pro: want });

/**
 * Every endpoint with every parameter on every tier, from the rows of the contract. Tests use it with `inject`, over a
 * socket, against the OpenAPI document, and against a server of a published run.
 */
export function contractRows(subjects: ContractSubjects): readonly ContractRow[] {
  return [
    ...listRows(),
    ...daoRows(subjects),
    ...delegateRows(subjects),
    ...indexRows(),
    ...entityRows(subjects),
    ...otherRows(subjects),
  ];
}

function listRows(): readonly ContractRow[] {
  const url = "/v1/daos";
  return [
    all("the list is for everybody", url, OK),
    ...["defi", "infrastructure", "public_goods", "social"].map((category) =>
      all("the list of one category, empty where it has none", `${url}?category=${category}`, OK),
    ),
    ...["DeFi", "games", "", "defi&category=defi"].map((category) =>
      all("13: a category that is none, or twice", `${url}?category=${category}`, BAD),
    ),
    all("13: brackets", `${url}?category[]=defi`, BAD),
    all("13: an unknown parameter", `${url}?sort=gvs`, BAD),
    all("13: a parameter in other case", `${url}?Category=defi`, BAD),
    all("13: a parameter of Object", `${url}?__proto__=1`, BAD),
    all("13: a parameter without a name", `${url}?=1`, BAD),
  ];
}

function daoRows({ dao, unscored, withoutRisk }: ContractSubjects): readonly ContractRow[] {
  const wrongIds = ["unknown", "UPPER", "..%2f..%2fetc%2fpasswd", "a%00b", "%00", "-", "a".repeat(5000)];
  return [
    pro("9: detail needs Pro", `/v1/daos/${dao}`, OK),
    pro("9: risk needs Pro", `/v1/daos/${dao}/risk`, OK),
    pro("9: tier before validation", `/v1/daos/${dao}?x=1`, BAD),
    pro("9: tier before validation", `/v1/daos/${dao}/risk?limit=10`, BAD),
    ...wrongIds.flatMap((id) => [
      pro("9, 16: tier before lookup; an id of a wrong shape is unknown", `/v1/daos/${id}`, NONE),
      pro("9, 16: the same of risk", `/v1/daos/${id}/risk`, NONE),
    ]),
    ...(unscored === undefined
      ? []
      : [
          pro(
            "a tracked DAO without a score: tier before what is known of it",
            `/v1/daos/${unscored}`,
            UNSCORED,
          ),
          pro("the same of its risk", `/v1/daos/${unscored}/risk`, UNSCORED),
          pro("validity before that, too", `/v1/daos/${unscored}?x=1`, BAD),
          pro("its graph", `/v1/daos/${unscored}/graph`, NONE),
        ]),
    ...(withoutRisk === undefined
      ? []
      : [pro("16: a DAO without a risk", `/v1/daos/${withoutRisk}/risk`, NONE)]),
    pro("20: the graph of a known space", `/v1/daos/${dao}/graph`, NONE),
    pro("20: the graph of an unknown space", "/v1/daos/x/graph", NONE),
    pro("20: whatever is asked of it", `/v1/daos/${dao}/graph?limit=1`, NONE),
  ];
}

function delegateRows({ dao, day, withoutDelegates }: ContractSubjects): readonly ContractRow[] {
  const url = `/v1/daos/${dao}/delegates`;
  const without = withoutDelegates === undefined ? [] : [withoutDelegates];
  const badLimits = [
    "0",
    "1",
    "9",
    "-1",
    "-10",
    "1e1",
    "%2010",
    "0x0a",
    "10.0",
    "%2B10",
    "+10",
    "010",
    "",
    "ten",
  ];
  return [
    all("12: no limit", url, OK),
    all("11: limit 10 is allowed to all", `${url}?limit=10`, OK),
    ...["20", "50", "100"].map((limit) => pro("10: a limit above 10", `${url}?limit=${limit}`, OK)),
    ...["11", "30", "1000", "0011", "9".repeat(400)].map((limit) =>
      pro("10, 34: digits above 10, however long", `${url}?limit=${limit}`, BAD),
    ),
    ...[...badLimits, "%D9%A1%D9%A0", "20&limit=20", "10&limit=10"].map((limit) =>
      all("11, 34: a limit that is none, or twice", `${url}?limit=${limit}`, BAD),
    ),
    ...["T1", "T2", "T3"].map((tier) => all("13: each weight tier", `${url}?tier=${tier}`, OK)),
    ...["T4", "t1", "", "T1&tier=T1"].map((tier) =>
      all("13: a weight tier that is none, or twice", `${url}?tier=${tier}`, BAD),
    ),
    pro("10: a date", `${url}?date=${day}`, OK),
    pro("10: a date, a tier and a limit", `${url}?date=${day}&tier=T1&limit=20`, OK),
    pro("10: a date beside a limit that Free may send", `${url}?limit=10&date=${day}`, OK),
    ...["2026-02-30", "2026-13-01", "30.03.2026", "20260330", "2026-3-1", `${day}T00:00:00Z`, "soon", ""].map(
      (date) => pro("10, 14: a date that is none", `${url}?date=${date}`, BAD),
    ),
    pro("34: a date twice", `${url}?date=${day}&date=${day}`, BAD),
    pro("34: a bad tier beside a limit above 10", `${url}?limit=20&tier=X`, BAD),
    pro("34: a bad limit beside a date", `${url}?limit=ten&date=${day}`, BAD),
    ...["2001-01-01", "2999-12-31"].map((date) => pro("14: a day without data", `${url}?date=${date}`, NONE)),
    ...["unknown", "UPPER", ...without].map((id) =>
      all("15, 16: no such space, or none of its delegates", `/v1/daos/${id}/delegates`, NONE),
    ),
    all("13: an unknown parameter", `${url}?offset=10`, BAD),
  ];
}

function indexRows(): readonly ContractRow[] {
  const history = "/v1/dgi/history";
  return [
    all("33: the index", "/v1/dgi", OK),
    all("13: an empty query is none", "/v1/dgi?", OK),
    all("13: a parameter where none is taken", "/v1/dgi?period=30d", BAD),
    all("33: its history", history, OK),
    ...["30d", "90d", "365d"].map((period) => all("33: a period", `${history}?period=${period}`, OK)),
    ...["7d", "30D", "", "30d&period=90d"].map((period) =>
      all("13: a period that is none, or twice", `${history}?period=${period}`, BAD),
    ),
  ];
}

function entityRows({ entityId, wallet }: ContractSubjects): readonly ContractRow[] {
  const digits = wallet.slice(2);
  const stranger = `0xf1c7${"0".repeat(36)}`;
  const byWallet = (text: string) => `/v1/entities?wallet=${text}`;
  return [
    pro("9: entity by id needs Pro", `/v1/entities/${entityId}`, OK),
    pro("9: entity by wallet needs Pro", byWallet(wallet), OK),
    pro("19: any case", byWallet(`0x${digits.toUpperCase()}`), OK),
    ...[`ent_${"0".repeat(26)}`, "ent_short"].map((id) =>
      pro("17: an entity unknown, or of a wrong shape", `/v1/entities/${id}`, NONE),
    ),
    pro("17: an unknown wallet", byWallet(stranger), NONE),
    pro("18: entities without a wallet", "/v1/entities", BAD),
    ...[
      "0x12",
      wallet.slice(0, -1),
      `${wallet}0`,
      digits,
      `0X${digits}`,
      "",
      `${wallet}&wallet=${wallet}`,
    ].map((text) => pro("19: a wallet that is none, or twice", byWallet(text), BAD)),
    pro("13: a parameter where none is taken", `/v1/entities/${entityId}?wallet=${wallet}`, BAD),
  ];
}

function otherRows({ dao }: ContractSubjects): readonly ContractRow[] {
  const unknown = [
    "/v1",
    "/v1/",
    "/v1/unknown",
    "/v1/daos/",
    `/v1/daos/${dao}/`,
    "/v1/daos//risk",
    "/v1/entities/",
    "/v1/DAOs",
    "/v1//daos",
    "/v1/dgi/",
    "/v1/daos/a/b/c",
  ];
  const other = (method: NonNullable<ContractRow["method"]>, url: string): ContractRow => ({
    ...all("22: another method, on a route or none, whatever its tier", url, METHOD),
    method,
  });
  return [
    ...unknown.map((url) => all("21: a route that is none", url, NONE)),
    other("POST", "/v1/daos"),
    other("DELETE", `/v1/daos/${dao}`),
    other("PUT", "/v1/unknown"),
    other("PATCH", "/v1/dgi"),
  ];
}
