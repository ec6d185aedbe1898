import { readLogs } from "../../pipeline/sources/governor/read-logs.ts";
import { createRpc } from "../../pipeline/sources/governor/rpc.ts";
import { delegationEventOfLog } from "../../pipeline/sources/upstream/delegation-event.ts";

/** Logs of one token as a node would answer them, held in memory, and their decoding. */
export interface LogBench {
  /** The bodies of the node's answers, as bytes. */
  readonly pages: readonly Buffer[];
  readonly logs: number;
  /** With those that are asked for twice, because ranges overlap by a block. */
  readonly logsAnswered: number;
  /** Seconds from bytes to events, checked for what they say. */
  decode(): Promise<number>;
}

const LOGS = 60_000;
const HEAD = LOGS * 2;
const TOKEN = `0x${"11".repeat(20)}`;
const TOPICS = {
  changed: "0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f",
  votes: "0xdec2bacdd2f05b59de34da9b523dff8be42e5e38e818c82fdb0bae774387a724",
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
} as const;

const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
const hex = (value: number) => `0x${value.toString(16)}`;

/** The n-th log with all that a node says of one: a delegation, its effect or a transfer, in turn. */
function logAt(n: number): object {
  const block = n * 2 + 1;
  const [one, other] = [`0x${word(n % 5_000)}`, `0x${word((n * 7) % 5_000)}`];
  const amount = word(10n ** 18n * BigInt(n + 1));
  const kinds = [
    { topics: [TOPICS.changed, one, `0x${word(0)}`, other], data: "0x" },
    { topics: [TOPICS.votes, other], data: `0x${word(0)}${amount}` },
    { topics: [TOPICS.transfer, one, other], data: `0x${amount}` },
  ];
  return {
    address: TOKEN,
    ...kinds[n % kinds.length],
    blockNumber: hex(block),
    blockHash: `0x${word(block + 7)}`,
    blockTimestamp: hex(1_600_000_000 + 12 * block),
    transactionHash: `0x${word(block + 9)}`,
    transactionIndex: "0x3",
    logIndex: hex(n % 300),
    removed: false,
  };
}

/** Asks once for all, to learn which ranges are asked for, and keeps every answer as bytes. */
export async function createLogBench(): Promise<LogBench> {
  const logs = Array.from({ length: LOGS }, (_, n) => logAt(n));
  const pages = new Map<string, Buffer>();
  let answered = 0;
  const pageOf = (from: number, to: number): Buffer => {
    const key = `${from} ${to}`;
    const known = pages.get(key);
    if (known !== undefined) return known;
    const found = logs.slice(Math.max(0, Math.ceil((from - 1) / 2)), Math.floor((to - 1) / 2) + 1);
    answered += found.length;
    const page = Buffer.from(JSON.stringify({ jsonrpc: "2.0", result: found }));
    pages.set(key, page);
    return page;
  };
  const rpc = createRpc({
    http: {
      async postJson({ body }) {
        const { id, params } = body as { id: number; params: [{ fromBlock: string; toBlock: string }] };
        const page = pageOf(Number(params[0].fromBlock), Number(params[0].toBlock));
        const reply = JSON.parse(page.toString("utf8")) as object;
        return { status: 200, headers: {}, body: { ...reply, id } };
      },
      counters: () => ({ requests: 0, retries: 0, bytes: 0, rateLimited: 0 }),
      close: async () => undefined,
    },
    url: "http://127.0.0.1/",
  });
  const decode = async (): Promise<number> => {
    let events = 0;
    let amounts = 0n;
    const beganMs = performance.now();
    await readLogs({
      rpc,
      address: TOKEN,
      topics: Object.values(TOPICS),
      range: { from: 0, to: HEAD },
      async take(part) {
        for (const { log } of part) {
          const event = delegationEventOfLog(log, TOKEN);
          if (event === undefined) continue;
          events += 1;
          if (event.kind === "transfer") amounts += event.amount;
        }
      },
    });
    const seconds = (performance.now() - beganMs) / 1000;
    const thirds = BigInt(LOGS / 3);
    const isRight = events === LOGS && amounts === ((3n * thirds * (thirds + 1n)) / 2n) * 10n ** 18n;
    if (!isRight) throw new Error(`${events} events of ${LOGS} logs, ${amounts} moved`);
    return seconds;
  };
  await decode();
  return { pages: [...pages.values()], logs: LOGS, logsAnswered: answered, decode };
}
