import dns from "node:dns";
import { PUBLIC_HUB_URL } from "../../pipeline/facts/source-table.ts";

const { hostname } = new URL(PUBLIC_HUB_URL);
const { lookup } = dns;

// The default of `--source snapshot-hub` is a public server, which no test may contact by mistake. Every test file has this
// as set-up; what can run the program imports it too, as Vitest started without our configuration has no set-up.
dns.lookup = Object.assign((...given: Parameters<typeof lookup>) => {
  if (given[0] === hostname) throw new Error(`a test contacts ${hostname}; start a fake hub for it`);
  return lookup(...given);
}, lookup);
