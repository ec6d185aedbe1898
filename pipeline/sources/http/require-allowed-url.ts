import { parseUrl } from "../../base/parse-url.ts";
import { PipelineError } from "../../base/pipeline-error.ts";

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address as a URL we may ask: https, or http on this machine. Throws SOURCE_FAILED and never quotes the address:
 * nodes of a chain carry their key in its path.
 */
export function requireAllowedUrl(address: string): URL {
  const url = parseUrl(address);
  if (url === undefined) throw new PipelineError("SOURCE_FAILED", "the address of a source is not a URL");
  if (url.username !== "" || url.password !== "") {
    throw new PipelineError("SOURCE_FAILED", `the address of ${url.host} holds a name or a password`, {
      hint: "Addresses end up in logs; give a key as a header instead.",
    });
  }
  if (url.protocol === "https:") return url;
  if (url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname)) return url;
  throw new PipelineError("SOURCE_FAILED", `the address of ${url.host || "a source"} is not https`, {
    hint: "Only this machine itself (127.0.0.1, localhost) may be asked over plain http.",
  });
}
