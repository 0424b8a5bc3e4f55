// Builds the page of `baton ui` and `baton report`: one HTML file with its script and style inside. Run alone:
// node -r ./scripts/typescript-hook.js scripts/build-page.ts
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { minify } from '@swc/core';
import { build, type BuildResult } from 'esbuild';
import { iconNames } from '../page/icon-names';
import { markdownAliases, markdownParser } from './markdown-parser';

const root = resolve(__dirname, '..');
const folder = join(root, 'dist', 'page');

/** The icons that the page uses, as data. */
function usedIcons(): Record<string, unknown> {
  const file = require.resolve('lucide-static/icon-nodes.json');
  const nodes = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(iconNames).map(([name, lucide]) => {
      if (nodes[lucide] === undefined) throw new Error(`lucide-static has no icon "${lucide}"`);
      return [name, nodes[lucide]];
    }),
  );
}

function bundle(): Promise<BuildResult<{ write: false }>> {
  return build({
    absWorkingDir: root,
    entryPoints: ['page/main.tsx'],
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    tsconfig: 'page/tsconfig.json',
    alias: markdownAliases,
    plugins: [markdownParser],
    define: { ICON_NODES: JSON.stringify(usedIcons()), 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
}

/** The marks are replaced by `baton report`: a policy for a file, and the recorded data. */
function html(script: string, style: string): string {
  const icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 13 13 3' stroke='%231f5fd0' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E";
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<!--policy-->',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<title>Baton</title>',
    `<link rel="icon" href="${icon}">`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<div id="page"></div>',
    '<noscript>This page needs JavaScript. `baton report --plain` writes one that does not.</noscript>',
    '<!--recording-->',
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Bundles the page, without writing it. */
export async function bundlePage(): Promise<{ readonly page: string; readonly script: string }> {
  const { outputFiles } = await bundle();
  const output = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? '';
  // The second minifier removes another 3 %.
  const { code } = await minify(output('.js'), { compress: { passes: 3 }, mangle: { toplevel: true }, ecma: 2022 });
  // markdown-it looks for comments of HTML. The bundler writes `<!--` only inside of literals, where this means the same.
  const [script, style] = [code.trim().replaceAll('<!--', '\\x3c!--'), output('.css')];
  // Either would end or change the meaning of the element that the text is in.
  const ends = /<\/script|<!--/i.test(script) || /<\/style/i.test(style);
  if (ends) throw new Error('The bundle contains the end of its element');
  return { script, page: html(script, style) };
}

/** Builds dist/page/page.html, and returns its sizes in bytes, gzipped. */
export async function buildPage(): Promise<{ readonly script: number; readonly page: number }> {
  const { page, script } = await bundlePage();
  const path = join(folder, 'page.html');
  mkdirSync(folder, { recursive: true });
  // Renamed when complete: a server that starts now must not read half a page.
  writeFileSync(`${path}.part`, page);
  renameSync(`${path}.part`, path);
  return { script: gzipSync(script).length, page: gzipSync(page).length };
}

if (require.main === module) {
  buildPage().then(
    ({ script, page }) => process.stdout.write(`script ${script} B, page ${page} B, gzipped\n`),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
