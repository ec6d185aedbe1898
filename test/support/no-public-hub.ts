import dns from "node:dns";
import { PUBLIC_HUB_URL } from "../../pipeline/facts/governance-source.ts";

const { hostname } = new URL(PUBLIC_HUB_URL);
const { lookup } = dns;

// The default of `--source snapshot-hub` is a public server, which no test may contact by mistake.
dns.lookup = Object.assign((...given: Parameters<typeof lookup>) => {
  if (given[0] === hostname) throw new Error(`a test contacts ${hostname}; start a fake hub for it`);
  return lookup(...given);
}, lookup);
