import { METHODS } from "node:http";
import { expect } from "vitest";
import { exchange } from "./exchange.ts";
import { codeOf, faultsOf } from "./faults-of-answer.ts";
import type { ListeningProxy } from "./listening-proxy.ts";
import { readAnswers } from "./read-answers.ts";

/** A request on `/v1/dgi` with a key, and what a row changes about it. */
export function request(
  lines: readonly string[] = [],
  {
    start = "GET /v1/dgi HTTP/1.1",
    host = ["Host: x"],
    body = "",
  }: { start?: string; host?: readonly string[]; body?: string } = {},
): string {
  return `${[start, ...host, "x-api-key: KEY", ...lines].join("\r\n")}\r\n\r\n${body}`;
}

/** The parser of the first releases of Node 20.19 refuses QUERY as no method, and drops a space before a colon. */
export const IS_OLD_PARSER = !METHODS.includes("QUERY");

/** One that leaves the connection open, and one that does not. */
export const GOOD = request();
export const LAST = request(["Connection: close"]);
/** Status and code of what a row wants. */
export const BAD = "400 INVALID_REQUEST";
export const LARGE = "431 INVALID_REQUEST";
export const METHOD = "405 METHOD_NOT_ALLOWED";
export const NONE = "404 NOT_FOUND";
/** A POST on the same path, and any other start line with the rest of it. */
export const post = (lines: readonly string[], body = "") =>
  request(lines, { start: "POST /v1/dgi HTTP/1.1", body });
export const asked = (start: string) => request(["Connection: close"], { start });

/** What is sent, and what must come of it. */
export interface WireRow {
  readonly why: string;
  /** What is sent, each piece in a packet of its own; KEY stands for a key. */
  readonly send: readonly string[];
  /** Whether each byte is sent by itself. */
  readonly isByteByByte?: boolean;
  /** All answers of the connection, in their order. */
  readonly want: readonly string[];
  readonly charged: number;
}

/** Sends what a row says, and looks at every answer, at what was charged, and at how the connection ended. */
export async function checkWireRow(proxy: ListeningProxy, row: Omit<WireRow, "why">): Promise<void> {
  const texts = row.send.map((piece) => piece.replaceAll("KEY", proxy.keys.enterprise));
  const methods = texts[0]?.startsWith("HEAD") ? ["HEAD"] : [];
  const before = proxy.usedBy("enterprise");
  const { bytes, end } = await exchange(proxy.port, row.isByteByByte ? texts.join("").split("") : texts);
  const { answers, fault } = readAnswers(bytes, methods);
  expect(fault).toBeUndefined();
  const told = answers.map((answer) => [answer.status, codeOf(answer.bytes)].filter(Boolean).join(" "));
  expect(told).toEqual(row.want);
  expect(answers.flatMap((answer) => faultsOf(answer, methods[0]))).toEqual([]);
  expect(proxy.usedBy("enterprise") - before).toBe(row.charged);
  // What is charged tells how much is left, and nothing else does.
  const counted = answers.filter(({ headers }) => headers["x-ratelimit-limit"] !== undefined);
  expect(counted).toHaveLength(row.charged);
  expect(answers.at(-1)?.headers["connection"]).toBe("close");
  expect(end).toBe("end");
}
