import { minify } from '@swc/core';

const mapUrl = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/** One byte per character, without comments: read and copied twice as fast, in half the memory. */
const format = { comments: false, asciiOnly: true } as const;

/** Rewrites code without a source map. */
export async function compactCode(code: string): Promise<string> {
  return (await minify(code, { compress: false, mangle: false, format })).code;
}

/**
 * Rewrites workflow code, of which a worker holds several copies. The source map still has the names and lines that stack
 * traces show, but no longer the text of the sources, which was half of the file.
 */
export async function compactWorkflowCode(bundle: string): Promise<string> {
  const end = bundle.lastIndexOf(mapUrl);
  if (end < 0) throw new Error('The workflow code has no source map, without which workers refuse it.');
  const content = Buffer.from(bundle.slice(end + mapUrl.length), 'base64').toString('utf8');
  // The types lack this option, with which the new map leads to the sources and not to the code given here.
  const sourceMap = { content } as unknown as true;
  const options = { compress: false, mangle: false, module: false, format, sourceMap } as const;
  const { code, map = '' } = await minify(bundle.slice(0, end), options);
  const { sourcesContent: _sources, ...withoutSources } = JSON.parse(map) as Record<string, unknown>;
  return `${code}\n${mapUrl}${Buffer.from(JSON.stringify(withoutSources)).toString('base64')}\n`;
}
