import { parseUrl } from "../../base/parse-url.ts";
import { HttpFault } from "./http-fault.ts";
import { retryAfterMs } from "./retry-after.ts";

/** The head of an answer, before anything of its body is read. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of whom we asked. */
  readonly origin: string;
  readonly nowMs: number;
}

/** The fault that a status is by itself, whatever the body says; `undefined` for those whose body decides. */
export function refuseStatus({ status, headers, origin, nowMs }: AnswerHead): HttpFault | undefined {
  if (status >= 300 && status < 400) return refuseRedirect(status, headers["location"], origin);
  const isRateLimit = status === 429;
  if (!isRateLimit && status !== 408 && status < 500) return undefined;
  const kind = status === 500 ? "server" : "passing";
  const wishMs = retryAfterMs(headers["retry-after"], nowMs);
  return new HttpFault(kind, `answered ${status}`, { isRateLimit, retryAfterMs: wishMs });
}

/** No redirect is followed: the address is ours to write down, and another one would get our key. */
function refuseRedirect(status: number, location: string | undefined, origin: string): HttpFault {
  const url = location === undefined ? undefined : parseUrl(location, origin);
  if (url === undefined) return new HttpFault("final", `answered ${status}`);
  const isSameOrigin = url.origin === origin;
  const where = isSameOrigin ? "another address of its own" : "another host";
  return new HttpFault("final", `redirects to ${where} (${status}), and redirects are not followed`);
}
