import { ALLOWED_METHODS, type CorsOrigins, standardHeaders } from "./headers.ts";
import { PROBLEMS, type Problem, problemBody } from "./problems.ts";

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/** The problem behind an error of Node's HTTP parser. */
export function problemOfParserError(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request-too-slow";
  return "request-malformed";
}

/** Status, headers and body of an answer that ends its connection, for a request that no route is to see. */
export function closingProblem(
  problem: Problem,
  request: {
    readonly requestId: string;
    readonly origin: string | undefined;
    readonly corsOrigins: CorsOrigins;
  },
): { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer } {
  const { status } = PROBLEMS[problem];
  const body = problemBody(problem);
  const headers = {
    ...standardHeaders(request),
    ...(status === 405 ? { allow: ALLOWED_METHODS } : {}),
    connection: "close",
    "content-length": String(body.length),
  };
  return { status, headers, body };
}

/** A whole HTTP answer in the envelope, for a socket on which no request could be read. */
export function rawProblem(
  problem: Problem,
  requestId: string,
  nowMs: number,
  corsOrigins: CorsOrigins = new Set(),
): Buffer {
  const { status, headers, body } = closingProblem(problem, { requestId, origin: undefined, corsOrigins });
  const dated = { ...headers, date: new Date(nowMs).toUTCString() };
  const lines = Object.entries(dated).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? "Error"}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}
