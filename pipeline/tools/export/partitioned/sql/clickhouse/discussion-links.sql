-- Discussion links: whether a text is a valid http(s) URL by the WHATWG standard.
-- Range: 0 or 1. Unit: distinct texts.
-- Unknown: no row without the field. An empty text is 0.
-- From: proposal. Makes: discussion_link.
-- Implemented: spaces and control characters around it, tabs and line ends within it, any number of slashes, user and password,
-- ports up to 65535, percent-encoded hosts, IPv4 (decimal, octal, hexadecimal, short forms), IPv6. Not implemented: the tables of
-- international domain names. A non-ASCII or xn-- host is accepted unchanged.
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
    CASE WHEN startsWith(raw_host, '[') THEN raw_host ELSE decodeURLComponent(raw_host) END AS host,
    splitByChar('.', lower(replaceRegexpOne(host, '\\.$', ''))) AS labels
  FROM split
),
-- Each label as a number, in the base given by its first characters. -1 means that it is not a number.
numbered AS (
  SELECT discussion, is_web, raw_host, after_host, host, labels,
    arrayMap(label -> multiIf(
      match(label, '^0x[0-9a-f]*$'), (16, substring(label, 3)),
      match(label, '^0[0-7]*$'), (8, label),
      match(label, '^[1-9][0-9]*$'), (10, label),
      (0, '')), labels) AS written,
    arrayMap(each -> CASE WHEN each.1 = 0 THEN toFloat64(-1) ELSE arrayFold(
      (value, digit) -> value * each.1 + position('0123456789abcdef', digit) - 1, extractAll(each.2, '.'), toFloat64(0)) END, written) AS numbers
  FROM decoded
),
judged AS (
  SELECT discussion, is_web, raw_host, host, labels, numbers,
    after_host = '' OR (match(after_host, '^:0*[0-9]{0,5}$')
      AND toUInt32OrZero(regexpExtract(after_host, '^:0*([0-9]{0,5})$', 1)) <= 65535) AS is_port_right,
    match(arrayElement(labels, -1), '^([0-9]+|0x[0-9a-f]*)$') AS is_number
  FROM numbered
)
SELECT discussion,
  CASE WHEN NOT is_web OR raw_host = '' OR NOT is_port_right THEN 0
    WHEN startsWith(raw_host, '[') THEN CASE WHEN match(raw_host, '^\\[[0-9a-fA-F:.]+\\]$') AND NOT match(raw_host, ':::|[:.]0[0-9]+\\.|\\.0[0-9]')
      AND isIPv6String(substring(raw_host, 2, length(raw_host) - 2))
      AND (position(raw_host, '::') = 0 OR length(extractAll(replaceRegexpOne(raw_host, '([0-9]+\\.){3}[0-9]+', '0:0'), '[0-9a-fA-F]+')) <= 7) THEN 1 ELSE 0 END
    WHEN NOT isValidUTF8(host) OR match(host, '[\\x00-\\x20#/:<>?@\\[\\\\\\]^|%\\x7f]') THEN 0
    WHEN is_number THEN CASE WHEN length(labels) <= 4 AND arrayMin(numbers) >= 0
      AND arrayAll(number -> number <= 255, arrayPopBack(numbers))
      AND arrayElement(numbers, -1) < POWER(256, 5 - length(labels)) THEN 1 ELSE 0 END
    ELSE 1 END AS is_link
FROM judged;
