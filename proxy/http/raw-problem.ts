import { problemBody } from "./problem-body.ts";
import { SITUATIONS, type Situation } from "./situations.ts";
import { standardHeaders } from "./standard-headers.ts";

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/** The situation behind an error of Node's HTTP parser. */
export function situationOfParserError(code: string | undefined): Situation {
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request-too-slow";
  return "request-malformed";
}

/** A whole HTTP answer in the envelope, for a socket on which no request could be read. */
export function rawProblem(situation: Situation, requestId: string, nowMs: number): Buffer {
  const { status } = SITUATIONS[situation];
  const body = problemBody(situation);
  const headers = {
    ...standardHeaders({ requestId, origin: undefined, corsOrigins: new Set() }),
    date: new Date(nowMs).toUTCString(),
    connection: "close",
    "content-length": String(body.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? "Error"}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}
