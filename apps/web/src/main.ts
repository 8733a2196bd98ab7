// The start of the page. With data inside (heed attention -o map.html) it shows them; otherwise it asks
// the server that it came from.

import { showEmbedded } from "./embedded";
import { showShell } from "./shell";

const page = document.getElementById("page")!;
const data = document.getElementById("heed-data");
if (data) showEmbedded(page, data.textContent ?? "");
else void showShell(page);
