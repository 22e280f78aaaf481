// Builds the page: dist/page.html, one file with script and style inside and nothing fetched from anywhere.
//   node build.mjs            write dist/page.html
//   node build.mjs --check    fail when dist/page.html is not what the sources give (same bytes)
//   node build.mjs --dev      write build/harness.html, the drawing alone with made-up data
// The same sources and lockfile give the same bytes: no dates, no paths, no hashes of the machine.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    write: false,
    outdir: "out",
    format: "iife",
    target: "es2020",
    minify: true,
    charset: "ascii",
    legalComments: "none",
    sourcemap: false,
    logLevel: "warning",
    loader: { ".css": "css" },
  });
  const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { script: text(".js").trim(), style: text(".css").trim() };
}

// The template holds three marks: style, data and script. `<!-- tendril data -->` stays in the page, before the script:
// a saved run puts its data there.
async function page(template, entry) {
  const { script, style } = await bundle(entry);
  if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");
  const html = await readFile(join(here, template), "utf8");
  for (const mark of ["<!-- style -->", "<!-- tendril data -->", "<!-- script -->"])
    if (html.split(mark).length !== 2) throw new Error(`${template}: ${mark} must stand there exactly once`);
  if (html.indexOf("<!-- tendril data -->") > html.indexOf("<!-- script -->")) throw new Error(`${template}: data must stand before the script`);
  return html
    .replace("<!-- style -->", () => `<style>\n${style}\n</style>`)
    .replace("<!-- script -->", () => `<script>\n${script}\n</script>`);
}

async function write(path, text) {
  await mkdir(dirname(join(here, path)), { recursive: true });
  await writeFile(join(here, path), text);
  console.log(`web/${path}: ${(text.length / 1024).toFixed(0)} kB`);
}

if (process.argv.includes("--dev")) {
  await write("build/harness.html", await page("dev/harness.html", "dev/harness.ts"));
} else {
  const html = await page("src/page.html", "src/main.ts");
  if (process.argv.includes("--check")) {
    const old = await readFile(join(here, "dist/page.html"), "utf8").catch(() => "");
    if (old !== html) {
      console.error("web/dist/page.html is stale: run `npm ci && npm run build` in web/ and commit it");
      process.exit(1);
    }
    console.log("web/dist/page.html is fresh");
  } else {
    await write("dist/page.html", html);
  }
}
