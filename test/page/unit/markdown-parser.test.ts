import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { MarkdownNode } from '../../../page/text/markdown-tree';
import { markdownTree } from '../../../page/text/markdown-tree';
import { markdownAliases, markdownParser } from '../../../scripts/markdown-parser';
import { projectRoot } from '../../support/paths';

type Read = (text: string) => readonly MarkdownNode[];

/** The function as it is in the page: bundled with the parts of the parser that the page has. */
async function bundledReader(): Promise<Read> {
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: ['page/text/markdown-tree.ts'],
    write: false,
    bundle: true,
    format: 'cjs',
    target: 'es2022',
    tsconfig: 'page/tsconfig.json',
    alias: markdownAliases,
    plugins: [markdownParser],
  });
  const module: { exports: { markdownTree?: Read } } = { exports: {} };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- our own bundle
  new Function('module', 'exports', outputFiles[0]?.text ?? '')(module, module.exports);
  const { markdownTree: reader } = module.exports;
  if (reader === undefined) throw new Error('The bundle exports no markdownTree');
  return reader;
}

const difficult = [
  '<div>\n\n*a*\n\n</div> <b>x</b> <!-- c --> <?php ?> &amp; &#65; &hellip;',
  '[a]: https://a.example "title"\n\n[a] [b](<x.md> \'t\') ![i](data:image/png;base64,AA==) <https://b.example> <me@c.example>',
  '[x](javascript:alert(1)) [x](JavaScript:x) [x](data:text/html,x) [x](file:///etc) [x](vbscript:x) ![x](data:text/html,x)',
  '"quotes" \'single\' (c) ... -- --- https://plain.example www.plain.example',
  '| a | b |\n| - | :-: |\n| 1 \\| 2 | `|` |\n\n1) x\n   - y\n\n     z\n10) w\n\nSetext\n===\n\n\tcode\n\n~~~js\nfence\n~~~',
  '**a *b ~~c~~* d** __e__ _f_ ``g ` h`` \\* \\\nline  \nbreak ***\n\n> q\nlazy\n> > deeper',
];

test('the page reads markdown as the whole parser does', async () => {
  const read = await bundledReader();
  const docs = join(projectRoot, 'docs');
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  for (const text of [...difficult, ...pages.map((name) => readFileSync(join(docs, name), 'utf8'))])
    expect(read(text)).toEqual(markdownTree(text));
});
