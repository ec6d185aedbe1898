-- Discussion links: whether a text is a valid http(s) URL, as the WHATWG standard reads one.
-- Range: 0 or 1. Unit: distinct texts.
-- Gap: no field, no row; an empty text is 0.
-- From: proposal. Makes: discussion_link.
-- Followed: spaces and control characters around it, tabs and line ends within it, any number of slashes, user and password,
-- ports up to 65535, percent-encoded hosts, IPv4 in decimal, IPv6. Not followed: the tables of international domain names (a host
-- beyond ASCII is taken as it stands, xn-- too) and IPv4 numbers in octal or hexadecimal above their range.
CREATE OR REPLACE TABLE discussion_link ENGINE = MergeTree ORDER BY discussion AS
WITH cleaned AS (
  SELECT DISTINCT assumeNotNull(discussion) AS discussion,
    replaceRegexpAll(replaceRegexpAll(assumeNotNull(discussion), '^[\\x00-\\x20]+|[\\x00-\\x20]+$', ''), '[\\t\\n\\r]', '') AS url
  FROM proposal
  WHERE discussion IS NOT NULL
),
located AS (
  SELECT discussion, regexpExtract(url, '^[hH][tT][tT][pP][sS]?:[/\\\\]*([^/\\\\?#]*)', 1) AS authority,
    match(url, '^[hH][tT][tT][pP][sS]?:') AS is_web
  FROM cleaned
),
hosted AS (
  SELECT discussion, is_web, replaceRegexpOne(authority, '^.*@', '') AS host_and_port FROM located
),
split AS (
  SELECT discussion, is_web, regexpExtract(host_and_port, '^(\\[[^\\]]*\\]|[^:]*)', 1) AS raw_host,
    replaceRegexpOne(host_and_port, '^(\\[[^\\]]*\\]|[^:]*)', '') AS after_host
  FROM hosted
),
decoded AS (
  SELECT discussion, is_web, raw_host, after_host,
    CASE WHEN startsWith(raw_host, '[') THEN raw_host ELSE decodeURLComponent(raw_host) END AS host
  FROM split
),
judged AS (
  SELECT discussion, is_web, raw_host, host,
    after_host = '' OR (match(after_host, '^:0*[0-9]{0,5}$')
      AND toUInt32OrZero(regexpExtract(after_host, '^:0*([0-9]{0,5})$', 1)) <= 65535) AS is_port_right,
    match(host, '(^|\\.)([0-9]+|0[xX][0-9a-fA-F]*)\\.?$') AS is_number
  FROM decoded
)
SELECT discussion,
  CASE WHEN NOT is_web OR raw_host = '' OR NOT is_port_right THEN 0
    WHEN startsWith(raw_host, '[') THEN CASE WHEN isIPv6String(trim(BOTH '[]' FROM raw_host)) THEN 1 ELSE 0 END
    WHEN match(host, '[\\x00-\\x20#/:<>?@\\[\\\\\\]^|%\\x7f]') THEN 0
    WHEN is_number THEN CASE WHEN match(host, '^((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){0,3}(0[0-7]*|0[xX][0-9a-fA-F]*|[0-9]{1,10})\\.?$') THEN 1 ELSE 0 END
    ELSE 1 END AS is_link
FROM judged;
