import { z } from "zod";
import { type RedisLink, type RedisScript, redisScript } from "../redis/redis-link.ts";
import { storeFailure } from "../redis/store-failure.ts";
import { type KeyEntries, readKeyWithAccount } from "./key-entries.ts";

/** A state of the keys in Redis: its revision, and the token that identifies the history it belongs to. */
export interface KeysPoint {
  readonly revision: number;
  readonly token: string;
}

/** The state of a Redis without keys; also used if no state is known. */
export const NO_POINT: KeysPoint = { revision: 0, token: "" };

/**
 * The entries; and the history: the token of every revision, the latest `revision`, and the `size` of the entries. The
 * last is where 0.6.0 kept keys. The braces keep all on one node of a cluster.
 */
const REDIS_KEYS = ["govdata:{keys}:entries", "govdata:{keys}:history", "govdata:{keys}:rows"] as const;

/**
 * How every script begins. The caller knows revision ARGV[1] (0: none) and its token ARGV[2]: a different token means a
 * different history, such as that of a restored older file or of another Redis.
 */
const CHECK = `
local entries, history = KEYS[1], KEYS[2]
if redis.call('EXISTS', KEYS[3]) == 1 then return {'outdated'} end
local state = redis.call('HMGET', history, 'revision', 'size')
local revision = state[1] or '0'
local token = redis.call('HGET', history, revision) or ''
if redis.call('HLEN', entries) ~= tonumber(state[2] or 0) then return {'lost'} end
if ARGV[1] ~= '0' and redis.call('HGET', history, ARGV[1]) ~= ARGV[2] then return {'lost'} end
`;

/** Returns the peppers; and of the first key with a digest from ARGV[3] on, its field and JSON, and its account's JSON. */
const FIND = redisScript(`${CHECK}
local peppers = redis.call('HGET', entries, 'peppers') or ''
for i = 3, #ARGV do
  local field = 'key:' .. ARGV[i]
  local key = redis.call('HGET', entries, field)
  if key then
    local account = 'account:' .. (string.match(key, '"account":"([^"]*)"') or '')
    return {'ok', revision, token, peppers, field, key, redis.call('HGET', entries, account) or ''}
  end
end
return {'ok', revision, token, peppers}`);

/** Returns about ARGV[4] entries from cursor ARGV[3] on, and the next cursor: requests must not wait for all of them. */
const LOAD = redisScript(`${CHECK}
local page = redis.call('HSCAN', entries, ARGV[3], 'COUNT', ARGV[4])
local reply = {'ok', revision, token, page[1]}
for _, word in ipairs(page[2]) do reply[#reply + 1] = word end
return reply`);

/**
 * Writes fields and JSON (from ARGV[4]) as the next revision, with token ARGV[3], unless somebody wrote meanwhile; that the
 * token of that revision is ARGV[2] was seen above.
 */
const COMMIT = redisScript(`${CHECK}
if revision ~= ARGV[1] then return {'moved', revision, token} end
for i = 4, #ARGV, 2 do redis.call('HSET', entries, ARGV[i], ARGV[i + 1]) end
revision = string.format('%d', revision + 1)
redis.call('HSET', history, revision, ARGV[3], 'revision', revision, 'size', redis.call('HLEN', entries))
return {'ok', revision, ARGV[3]}`);

/** What a link must load. */
export const KEY_SCRIPTS: readonly RedisScript[] = [FIND, LOAD, COMMIT];

export type KeyScripts = ReturnType<typeof createKeyScripts>;

/** A page takes Redis about 3 ms. */
const PAGE_ENTRIES = 1_000;

/** Far more than the keys of any service take, also with several beginnings: beyond it, the list would not end. */
const PAGES_MAX = 10_000;

/** A page or a commit may be large, and no request waits for it. */
const BULK_TIMEOUT_MS = 5_000;

const Point = z.tuple([z.string().regex(/^(0|[1-9][0-9]{0,14})$/), z.string().regex(/^[0-9a-f]{0,64}$/)]);

/** The keys in one Redis. Methods reject with a `StoreFailure`: KEYS_LOST if its history does not contain `known`. */
export function createKeyScripts(link: Pick<RedisLink, "call">) {
  /** Resolves to what it said first, the state, and the words after it. */
  const run = async (script: RedisScript, { revision, token }: KeysPoint, args: readonly string[]) => {
    const timeoutMs = script === FIND ? undefined : BULK_TIMEOUT_MS;
    const [reply] = await link.call([script.run(REDIS_KEYS, [revision, token, ...args])], timeoutMs);
    const words = z.array(z.string()).min(1).safeParse(reply);
    if (!words.success) throw storeFailure("KEYS_INVALID");
    const [kind, ...rest] = words.data;
    if (kind === "outdated") throw storeFailure("KEYS_OUTDATED");
    if (kind === "lost") throw storeFailure("KEYS_LOST");
    const point = Point.safeParse(rest.slice(0, 2));
    if (!point.success) throw storeFailure("KEYS_INVALID");
    const [revisionThere, tokenThere] = point.data;
    return { kind, point: { revision: Number(revisionThere), token: tokenThere }, words: rest.slice(2) };
  };
  return {
    find: async (known: KeysPoint, digests: readonly Buffer[]) => {
      const hex = digests.map((digest) => digest.toString("hex"));
      const { point, words } = await run(FIND, known, hex);
      const [peppers = "", field, key = "", account = ""] = words;
      return {
        point,
        peppers,
        key: field === undefined ? undefined : readKeyWithAccount(field, key, account),
      };
    },
    load: async (known: KeysPoint): Promise<{ point: KeysPoint; entries: KeyEntries }> => {
      const entries = new Map<string, string>();
      let start: KeysPoint | undefined;
      let cursor = "0";
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const { point, words } = await run(LOAD, known, [cursor, String(PAGE_ENTRIES)]);
        start ??= point;
        if (point.token !== start.token) {
          // Somebody wrote between two pages: begin again.
          entries.clear();
          [start, cursor] = [undefined, "0"];
          continue;
        }
        cursor = words[0] ?? "0";
        for (let index = 1; index < words.length; index += 2)
          entries.set(words[index] ?? "", words[index + 1] ?? "");
        if (cursor === "0") return { point: start, entries };
      }
      throw storeFailure("KEYS_INVALID");
    },
    /** The new state; undefined if the keys are no longer at `point`, and nothing was written. */
    commit: async (point: KeysPoint, entries: KeyEntries, token: string): Promise<KeysPoint | undefined> => {
      const next = await run(COMMIT, point, [token, ...[...entries].flat()]);
      return next.kind === "moved" ? undefined : next.point;
    },
  };
}
