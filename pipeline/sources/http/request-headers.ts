import { ACCEPTED_ENCODINGS } from "./read-body.ts";

/** Who asks, as the other side may read it in its logs. */
export interface Asker {
  readonly version: string;
  readonly repositoryUrl?: string;
}

/** The headers of a request: what the source gives, and over it what the door says of itself. */
export function requestHeaders(
  given: Readonly<Record<string, string>>,
  { version, repositoryUrl }: Asker,
): Readonly<Record<string, string>> {
  // Two spellings of one name would both be sent.
  const lowered = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...Object.fromEntries(lowered),
    accept: "application/json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "content-type": "application/json",
    "user-agent": `govdata/${version}${repositoryUrl === undefined ? "" : ` (+${repositoryUrl})`}`,
  };
}
