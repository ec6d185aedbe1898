import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { type FaultAnswer, faultyNode, type SeenCall } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import type { TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import {
  addressOf,
  CHAIN_ID,
  type Claim,
  claim,
  namesThrough,
  reverseNode,
  startEnsChain,
} from "./ens-chain.ts";
import { textAnswer } from "./fake-ens.ts";

const HUNDRED = Array.from({ length: 100 }, (_, index) => addressOf(0xc000 + index));
const BURNER = addressOf(0xd000);
const nameOf = (address: string) => `voter-${address.slice(-4)}.eth`;
const namesOf = (addresses: readonly string[]) =>
  new Map(addresses.map((address) => [address, nameOf(address)]));

/** A door that counts, and fails as `fails` says: by the number of the request, from 1, and what it holds. */
function failingDoor(fails: (request: number, text: string) => Error | undefined): HttpClient {
  const inner = plainHttpClient();
  let request = 0;
  return {
    ...inner,
    async postJson(asked) {
      request += 1;
      const error = fails(request, JSON.stringify(asked.body));
      if (error !== undefined) throw error;
      return inner.postJson(asked);
    },
    counters: () => ({ ...inner.counters(), requests: request }),
  };
}

const GONE = "http://node.example refused the connection";
const gone = () => pipelineFailure("SOURCE_FAILED", GONE);

describeOnChain("asking contracts through a node", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startEnsChain();
    for (const part of [HUNDRED.slice(0, 50), HUNDRED.slice(50)])
      await claim(
        chain,
        part.map((address) => ({ address, name: nameOf(address) })),
      );
    await claim(chain, [{ address: BURNER, name: "burner.eth", reverseMood: "burnsGas" }]);
  });
  afterAll(() => chain.close());

  const NOBODY = Array.from({ length: 400 }, (_, index) => addressOf(0xf000 + index));
  it.each([
    ["a hundred addresses five requests: one look at the node, four rounds", HUNDRED, namesOf(HUNDRED)],
    ["addresses without a name one request a hundred", NOBODY, new Map()],
  ])("costs %s", async (_why, addresses, names) => {
    const http = plainHttpClient();
    expect((await namesThrough({ http, url: chain.url }, addresses)).names).toEqual(names);
    expect(http.counters().requests).toBe(5);
  });

  it.each([
    ["many at once", HUNDRED],
    ["one", HUNDRED.slice(0, 1)],
  ])("bounds the gas of every call, and asks as of the latest block: %s", async (_why, addresses) => {
    const { http, seen } = faultyNode(plainHttpClient(), {});
    await namesThrough({ http, url: chain.url }, addresses);
    const calls = seen.filter(({ method }) => method === "eth_call");
    const gas = calls.map(({ params }) => (params[0] as { gas: string }).gas);
    expect(new Set(gas)).toEqual(new Set(["0x7a120"]));
    expect(new Set(calls.map(({ params }) => params[1]))).toEqual(new Set(["latest"]));
  });

  it("names a hundred in as many requests where one of them burns gas", async () => {
    const http = plainHttpClient();
    const group = [...HUNDRED.slice(0, 50), BURNER, ...HUNDRED.slice(50, 99)];
    const asked = await namesThrough({ http, url: chain.url }, group);
    expect(asked).toMatchObject({
      names: namesOf(group.filter((address) => address !== BURNER)),
      counts: { found: 99, without: 1, failed: 0 },
    });
    expect(http.counters().requests).toBe(5);
  });

  const SPOILT = reverseNode(HUNDRED[7] ?? "").slice(2);
  const spoiling = (answer: FaultAnswer): HttpClient =>
    faultyNode(plainHttpClient(), {
      answer: ({ params }: SeenCall) => (JSON.stringify(params).includes(SPOILT) ? answer : undefined),
    }).http;
  it.each<readonly [why: string, http: HttpClient, trouble: unknown]>([
    ["too much for one request", spoiling({ status: 413 }), expect.any(String)],
    ["an error", spoiling({ error: { code: -32_005, message: "no" } }), expect.any(String)],
    ["not JSON-RPC", spoiling({ body: "busy" }), expect.any(String)],
    ["a server error", spoiling({ status: 502, body: { message: "bad gateway" } }), expect.any(String)],
    ["nothing", failingDoor((_, text) => (text.includes(SPOILT) ? gone() : undefined)), GONE],
  ])("loses one address of a hundred, where a node answers it with %s", async (_why, http, trouble) => {
    const asked = await namesThrough({ http, url: chain.url }, HUNDRED);
    expect(asked).toMatchObject({
      names: namesOf(HUNDRED.filter((_, index) => index !== 7)),
      counts: { found: 99, without: 0, failed: 1 },
      trouble,
    });
  });

  describe("a node that goes away", () => {
    const crowd = [...HUNDRED, ...Array.from({ length: 700 }, (_, index) => addressOf(0x10000 + index))];
    it.each([
      ["before anything", 1, { found: 0, without: 0, failed: 400 }],
      ["in the first group", 3, { found: 0, without: 0, failed: 400 }],
      ["in the second group", 9, { found: 100, without: 300, failed: 400 }],
    ])("costs what was under way, and is asked no more: %s", async (_why, from, counts) => {
      const http = failingDoor((request) => (request >= from ? gone() : undefined));
      const asked = await namesThrough({ http, url: chain.url }, crowd);
      expect(asked.counts).toEqual(counts);
      expect(asked.names.size).toBe(counts.found);
      expect(asked.trouble).toBe(GONE);
      // The one that failed, and one more to see whether anybody is there.
      expect(http.counters().requests).toBeLessThanOrEqual(from + 1);
    });

    it("is waited for no longer where it fails again and again in between", async () => {
      const http = failingDoor((_, text) => (text.includes("eth_chainId") ? undefined : gone()));
      const { counts } = await namesThrough({ http, url: chain.url }, crowd);
      expect(counts).toEqual({ found: 0, without: 0, failed: 400 });
      expect(http.counters().requests).toBeLessThanOrEqual(1 + 2 * 10);
    });
  });

  it.each([
    ["serves another chain", 1, undefined, /serves chain 31337.* chain 1$/],
    ["has no ENS", CHAIN_ID, "0x", /no ENS on chain 31337/],
    ["answers with no hex", CHAIN_ID, 7, /no ENS on chain 31337/],
  ])("asks a node nothing that %s, and says so", async (_why, chainId, result, reason) => {
    const { http } = faultyNode(plainHttpClient(), {
      result: ({ method }, given) => (method === "eth_call" ? (result ?? given) : given),
    });
    const asked = await namesThrough({ http, url: chain.url, chainId }, HUNDRED);
    expect(asked).toMatchObject({ names: new Map(), counts: { found: 0, without: 0, failed: 100 } });
    expect(asked.trouble).toMatch(reason);
  });
});

describe("a node that answers anything", () => {
  it("never makes it throw, nor name anybody", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }), async (bodies) => {
        let next = 0;
        const http: HttpClient = {
          ...plainHttpClient(),
          postJson: async () => ({ status: 200, headers: {}, body: bodies[next++ % bodies.length] }),
        };
        const { names } = await namesThrough({ http, url: "http://node.example" }, HUNDRED.slice(0, 9));
        expect(names).toEqual(new Map());
      }),
    );
  });
});

describe("a node that pads an answer", () => {
  const alice = addressOf(0xa11ce);
  const word = (digits: string) => `0x${digits.padStart(64, "0")}`;
  /** By the selectors of `resolver`, `name` and `addr`. */
  const answersPadded = (bytes: number): ReadonlyMap<string, string> => {
    const name = textAnswer("alice.eth");
    return new Map([
      ["0x0178b8bf", word("2000")],
      ["0x691f3431", `${"answer" in name ? name.answer : ""}${"00".repeat(bytes)}`],
      ["0x3b3b57de", word(alice.slice(2))],
    ]);
  };

  it.each([
    { why: "to the most that is read", padding: 4_096 - 96, names: [[alice, "alice.eth"]] },
    { why: "by a byte more, as if to fill memory", padding: 4_096 - 95, names: [] },
  ])("is believed or not: $why", async ({ padding, names }) => {
    const answers = answersPadded(padding);
    const answerTo = ({ id, method, params }: SeenCall & { readonly id: number }) => {
      const { data = "" } = (params[0] ?? {}) as { readonly data?: string };
      const result = method === "eth_chainId" ? `0x${CHAIN_ID.toString(16)}` : answers.get(data.slice(0, 10));
      return { jsonrpc: "2.0", id, result: result ?? "0x" };
    };
    const http: HttpClient = {
      ...plainHttpClient(),
      async postJson({ body }) {
        const calls = body as Parameters<typeof answerTo>[0];
        return { status: 200, body: Array.isArray(calls) ? calls.map(answerTo) : answerTo(calls) };
      },
    };
    expect([...(await namesThrough({ http, url: "http://node.example" }, [alice])).names]).toEqual(names);
  });
});

const STRANGER = addressOf(0xbad);

type Row = { readonly why: string; readonly isNamed: boolean } & Omit<Claim, "address">;
const named = (why: string, name: string, change: Partial<Row> = {}): Row => ({
  why,
  name,
  isNamed: true,
  ...change,
});
const nameless = (why: string, name: string, change: Partial<Row>): Row =>
  named(why, name, { isNamed: false, ...change });

/** Who claims what of contracts that behave in any way, and whether that is a name; in one chain, so that each may spoil it for the others. */
const ROWS: readonly Row[] = [
  named("a name that leads back", "alice.eth"),
  named("another one, far from the first", "bücher.eth"),
  nameless("a name that leads to somebody else", "mallory.eth", { leadsTo: STRANGER }),
  nameless("a name that leads to nobody", "void.eth", { leadsTo: addressOf(0) }),
  nameless("10 kB of name", `${"a".repeat(10_000)}.eth`, {}),
  nameless("CCIP-Read for the name", "dave.eth", { forwardMood: "offchain" }),
  nameless("CCIP-Read for the address", "erin.eth", { reverseMood: "offchain" }),
  nameless("a revert", "frank.eth", { forwardMood: "reverts" }),
  nameless("a resolver that burns gas, of the address", "grace.eth", { reverseMood: "burnsGas" }),
  nameless("a resolver that burns gas, of the name", "heidi.eth", { forwardMood: "burnsGas" }),
  nameless("one more that burns gas", "ivan.eth", { forwardMood: "burnsGas" }),
  nameless("garbage for a name", "judy.eth", { reverseMood: "garbage" }),
  nameless("garbage for an address", "kim.eth", { forwardMood: "garbage" }),
  nameless("nothing at all", "leo.eth", { forwardMood: "nothing" }),
  nameless("as much memory as gas can buy", "mona.eth", { reverseMood: "megabyte" }),
  named("a resolver that says less when others burnt its gas", "nina.eth", { forwardMood: "shy" }),
  named("the same for the address", "oscar.eth", { reverseMood: "shy" }),
  named("a name that leads back, last of all", "peggy.eth"),
];
const CLAIMS = ROWS.map((row, index) => ({ ...row, address: addressOf(0xa000 + index) }));

/** Of whom the registry knows nothing. */
const UNKNOWN = [addressOf(0xb000), addressOf(0xb001)];
const EVERYBODY = [...CLAIMS.map(({ address }) => address), ...UNKNOWN];

describeOnChain("ENS on a real chain", () => {
  let chain: TestChain;
  let byOne: ReadonlyMap<string, string>;
  beforeAll(async () => {
    chain = await startEnsChain();
    await claim(chain, CLAIMS);
    byOne = (await namesThrough({ http: plainHttpClient(), url: chain.url }, EVERYBODY)).names;
  });
  afterAll(() => chain.close());

  it.each(CLAIMS)("$why", ({ address, name, isNamed }) => {
    expect(byOne.get(address)).toBe(isNamed ? name : undefined);
  });

  const names = new Map(CLAIMS.flatMap((row) => (row.isNamed ? [[row.address, row.name]] : [])));
  const counts = { found: names.size, without: EVERYBODY.length - names.size, failed: 0 };

  it.each([
    { order: "as they come", addresses: EVERYBODY },
    { order: "the other way round", addresses: EVERYBODY.toReversed() },
  ])("names the same, $order, and each is remembered as what it is", async ({ addresses }) => {
    const asked = await namesThrough({ http: plainHttpClient(), url: chain.url }, addresses);
    expect(asked).toMatchObject({ names, counts });
  });

  it("names the same through a node that takes no batches", async () => {
    const { http } = faultyNode(plainHttpClient(), { refusesBatches: true });
    expect(await namesThrough({ http, url: chain.url }, EVERYBODY)).toMatchObject({ names, counts });
  });
});
