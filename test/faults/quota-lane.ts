import { Agent, get, type IncomingMessage } from "node:http";

/** A whole answer, and what its headers say of the quota. */
export interface LaneAnswer {
  readonly status: number;
  /** Epoch seconds, and the seconds until then; not a number where the answer does not say. */
  readonly resetAtS: number;
  readonly secondsToReset: number;
  /** Whether it says when to come again. */
  readonly saysWhen: boolean;
  readonly sentAtMs: number;
  readonly gotAtMs: number;
}

/** One caller, whose requests follow one another on a connection that is kept until an answer says that it ends. */
export interface Lane {
  /** The next answer; nothing where the connection ended before a whole one came, or nobody listens. */
  readonly ask: (path?: string) => Promise<LaneAnswer | undefined>;
  readonly close: () => void;
}

export function openLane(address: string, key: string): Lane {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = { agent, headers: { "x-api-key": key } };
  return {
    ask: async (path = "/v1/dgi") => {
      const sentAtMs = Date.now();
      const answer = await new Promise<IncomingMessage | undefined>((resolve) => {
        get(`${address}${path}`, options, (coming) => {
          coming.resume().once("close", () => resolve(coming.complete ? coming : undefined));
        }).once("error", () => resolve(undefined));
      });
      if (answer === undefined) return undefined;
      const { statusCode: status = 0, headers } = answer;
      const [, left] = /^"daily";r=\d+;t=(\d+)/.exec(String(headers["ratelimit"])) ?? [];
      return {
        status,
        resetAtS: Number(headers["x-ratelimit-reset"] ?? Number.NaN),
        secondsToReset: Number(left ?? Number.NaN),
        saysWhen: headers["retry-after"] !== undefined,
        sentAtMs,
        gotAtMs: Date.now(),
      };
    },
    close: () => agent.destroy(),
  };
}
