import dns from "node:dns";
import { PUBLIC_HUB_URL, PUBLIC_ONCHAIN_URL } from "../../pipeline/facts/source-table.ts";

const hostnames = [PUBLIC_HUB_URL, PUBLIC_ONCHAIN_URL].map((url) => new URL(url).hostname);
const { lookup } = dns;

// A run without `--source` asks public servers, which no test may contact by mistake. Every test file has this
// as set-up; what can run the program imports it too, as Vitest started without our configuration has no set-up.
dns.lookup = Object.assign((...given: Parameters<typeof lookup>) => {
  if (hostnames.includes(given[0])) throw new Error(`a test contacts ${given[0]}; start a server for it`);
  return lookup(...given);
}, lookup);
