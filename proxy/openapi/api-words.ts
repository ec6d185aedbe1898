import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";

const count = (tier: keyof typeof DAILY_REQUESTS) => DAILY_REQUESTS[tier].toLocaleString("en-US");

/** Version of the contract, which its paths carry as `/v1`; not the program's. */
export const CONTRACT_VERSION = "1.0.0";

/** What a reader must know before the first request. */
export const API_DESCRIPTION = `Governance health of DAOs: scores, risk, delegates, an index and labelled entities. Read-only; all
answers are JSON: \`{"data", "meta"}\`, or \`{"error": {"code", "message"}}\` with a stable code.

**Keys.** Every request under \`/v1\` needs a key in the \`x-api-key\` header.

| tier | may ask for | requests a UTC day |
|---|---|---|
| Free | the list of DAOs, the index and its history, the first 10 delegates | ${count("free")} |
| Pro | all of Free, and detail, risk, up to 100 delegates, past days, entities | ${count("pro")} |
| Enterprise | all of Pro | ${count("enterprise")}, or a limit of its own |

\`x-lowest-tier\` names the tier that an operation or a parameter needs, \`x-free-maximum\` the highest value that Free may send.

**Quota.** Keys of one account share one quota. Every answer to a valid key costs 1, refusals too; 401, 429 and 5xx cost
nothing. It starts anew at 00:00 UTC.

**Order of checks.** Key (401), quota (429), method and path (405, 404), tier (403), parameters (400), existence (404).

**HEAD** answers as GET without a body. **ETag** and \`If-None-Match\` give 304 for what did not change. \`x-other-requests\`
says what anything else gets.`;

/** What the groups of operations are about. */
export const TAGS = [
  { name: "DAOs", description: "Tracked DAOs: scores, risk, delegates." },
  { name: "Index", description: "The Decentralized Governance Index." },
  { name: "Entities", description: "Labelled entities and their wallets." },
  { name: "Service", description: "About this server; no key, no quota." },
] as const;
