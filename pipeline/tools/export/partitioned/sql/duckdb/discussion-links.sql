-- Discussion links: whether a text is a valid http(s) URL by the WHATWG standard.
-- Range: 0 or 1. Unit: distinct texts.
-- Unknown: no row without the field. An empty text is 0.
-- From: proposal. Makes: discussion_link.
-- Implemented: spaces and control characters around it, tabs and line ends within it, any number of slashes, user and password,
-- ports up to 65535, percent-encoded hosts, IPv4 (decimal, octal, hexadecimal, short forms), IPv6. Not implemented: the tables of
-- international domain names. A non-ASCII or xn-- host is accepted unchanged.
CREATE OR REPLACE TABLE discussion_link AS
WITH cleaned AS (
  SELECT DISTINCT discussion, regexp_replace(regexp_replace(discussion, '^[\x00-\x20]+|[\x00-\x20]+$', '', 'g'), '[\t\n\r]', '', 'g') AS url
  FROM proposal
  WHERE discussion IS NOT NULL
),
located AS (
  SELECT discussion, regexp_extract(url, '^[hH][tT][tT][pP][sS]?:[/\\]*([^/\\?#]*)', 1) AS authority,
    regexp_matches(url, '^[hH][tT][tT][pP][sS]?:') AS is_web
  FROM cleaned
),
hosted AS (
  SELECT discussion, is_web, regexp_replace(authority, '^.*@', '') AS host_and_port FROM located
),
split AS (
  SELECT discussion, is_web, regexp_extract(host_and_port, '^(\[[^\]]*\]|[^:]*)', 1) AS raw_host,
    regexp_replace(host_and_port, '^(\[[^\]]*\]|[^:]*)', '') AS after_host
  FROM hosted
),
-- A percent escape that is not UTF-8 makes url_decode and the whole query fail. TRY makes such a host NULL, which is not a link.
decoded AS (
  SELECT discussion, is_web, raw_host, after_host,
    CASE WHEN raw_host LIKE '[%' OR raw_host NOT LIKE '%\%%' ESCAPE '\' THEN raw_host ELSE TRY(url_decode(raw_host)) END AS host
  FROM split
),
judged AS (
  SELECT discussion, is_web, raw_host, host,
    after_host = '' OR (regexp_matches(after_host, '^:[0-9]*$') AND regexp_matches(after_host, '^:0*[0-9]{0,5}$')
      AND CAST('0' || regexp_extract(after_host, '^:0*([0-9]{0,5})$', 1) AS INTEGER) <= 65535) AS is_port_right,
    regexp_replace(trim(raw_host, '[]'), ':((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\.|$)){4}$', ':0:0') AS six,
    regexp_matches(host, '(^|\.)([0-9]+|0[xX][0-9a-fA-F]*)\.?$') AS is_number,
    regexp_extract(host, '([^.]*)\.?$', 1) AS last, regexp_replace(host, '[^.]*\.?$', '') AS front,
    LENGTH(regexp_replace(host, '\.$', '')) - LENGTH(REPLACE(regexp_replace(host, '\.$', ''), '.', '')) AS dots
  FROM decoded
)
SELECT discussion,
  CASE WHEN NOT is_web OR raw_host = '' OR host IS NULL OR NOT is_port_right THEN 0
    WHEN raw_host LIKE '[%' THEN CASE WHEN regexp_matches(raw_host, '^\[[0-9a-fA-F:.]+\]$') AND regexp_matches(six, '^[0-9a-fA-F:]+$')
        AND NOT regexp_matches(six, '[0-9a-fA-F]{5}|:::|^:[^:]|[^:]:$|^:$') AND (
          (LENGTH(six) - LENGTH(REPLACE(six, '::', '')) = 0 AND LENGTH(six) - LENGTH(REPLACE(six, ':', '')) = 7)
          OR (LENGTH(six) - LENGTH(REPLACE(six, '::', '')) = 2 AND LENGTH(regexp_replace(six, '[0-9a-fA-F]+', 'x', 'g')) - (LENGTH(six) - LENGTH(REPLACE(six, ':', ''))) <= 7))
      THEN 1 ELSE 0 END
    WHEN regexp_matches(host, '[\x00-\x20#/:<>?@\[\\\]^|%\x7f]') THEN 0
    WHEN is_number THEN CASE WHEN dots <= 3
        AND regexp_matches(front, '^((0[xX]0*[0-9a-fA-F]{0,2}|0+[0-3]?[0-7]{1,2}|0+|25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.)*$')
        AND CASE WHEN regexp_matches(last, '^[1-9][0-9]*$') THEN CAST(last AS DOUBLE) < POWER(256, 4 - dots)
          WHEN regexp_matches(last, '^0[xX][0-9a-fA-F]*$') THEN LENGTH(regexp_replace(last, '^0[xX]0*', '')) <= 2 * (4 - dots)
          WHEN regexp_matches(last, '^0+$') THEN TRUE
          WHEN regexp_matches(last, '^0[0-7]+$') THEN
            (CAST(LEFT(regexp_replace(last, '^0+', ''), 1) AS DOUBLE) + 1) * POWER(8, LENGTH(regexp_replace(last, '^0+', '')) - 1) <= POWER(256, 4 - dots)
          ELSE FALSE END
      THEN 1 ELSE 0 END
    ELSE 1 END AS is_link
FROM judged;
