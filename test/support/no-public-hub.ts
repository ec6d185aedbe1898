import dns from "node:dns";
import { PUBLIC_HUB_URL } from "../../pipeline/facts/governance-source.ts";

const { hostname } = new URL(PUBLIC_HUB_URL);
const { lookup } = dns;

// The default of `--source snapshot-hub` is somebody's server: no test looks up its name, whatever it forgot to say.
dns.lookup = Object.assign((...given: Parameters<typeof lookup>) => {
  if (given[0] === hostname) throw new Error(`a test asks ${hostname}: give it a hub of its own`);
  return lookup(...given);
}, lookup);
