// Adds search, a filter by category and sorting by column to the tables of the ranking, which are complete without.
const tables = [...document.querySelectorAll("main table")];
const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
const nameOf = (row) => row.querySelector("[data-category]").parentElement.textContent.toLowerCase();
const categoryOf = (row) => row.querySelector("[data-category]").dataset.category;

/** What a cell is sorted by: the score that it gives, the number that it begins with, or its text. */
function keyOf(cell, isNumber) {
  const text = cell.querySelector("data")?.value ?? cell.textContent.trim();
  return isNumber ? Number.parseFloat(text.replace("−", "-")) : text.toLowerCase();
}

function sortBy(heading, index) {
  const table = heading.closest("table");
  const isNumber = heading.className === "number";
  const isAscending = heading.ariaSort ? heading.ariaSort === "descending" : !isNumber || index === 0;
  const sign = isAscending ? 1 : -1;
  const body = table.tBodies[0];
  const keys = new Map([...body.rows].map((row) => [row, keyOf(row.cells[index], isNumber)]));
  const compare = (a, b) => (keys.get(a) < keys.get(b) ? -sign : keys.get(a) > keys.get(b) ? sign : 0);
  for (const each of table.tHead.rows[0].cells) each.ariaSort = null;
  heading.ariaSort = isAscending ? "ascending" : "descending";
  body.append(...[...keys.keys()].toSorted(compare));
}

function makeSortable(heading, index) {
  // A column of pictures or sentences has nothing to sort by.
  if (heading.className !== "number" && heading.className !== "name") return;
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.addEventListener("click", () => sortBy(heading, index));
  heading.append(button);
}

function makeFilters() {
  const search = document.createElement("input");
  search.type = "search";
  const select = document.createElement("select");
  const categories = [...new Set(rows.map(categoryOf))].sort();
  select.append(...["all", ...categories].map((name) => new Option(name.replaceAll("_", " "), name)));
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    for (const row of rows)
      row.hidden =
        !nameOf(row).includes(wanted) || (select.value !== "all" && categoryOf(row) !== select.value);
  };
  const labelled = (text, field) => {
    const label = document.createElement("label");
    label.append(text, field);
    return label;
  };
  search.addEventListener("input", filter);
  select.addEventListener("change", filter);
  const line = document.createElement("div");
  line.className = "filter";
  line.append(labelled("Name or id ", search));
  if (categories.length > 1) line.append(labelled("Category ", select));
  tables[0].parentElement.before(line);
}

for (const table of tables) [...table.tHead.rows[0].cells].forEach(makeSortable);
if (rows.length > 1) makeFilters();
