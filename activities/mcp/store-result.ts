import type { CallToolResult } from '@modelcontextprotocol/client';
import { readResult, type ResultPart } from '../../domain/mcp';
import type { SessionEvent } from '../../domain/tool';
import type { ToolContext, ToolReturn } from '../tool/define-tool';

/** Maximum artifacts of one result. The session has a record of each. */
const maxArtifacts = 20;
const shortHash = 12;

/** File name extensions of media types that agents and people look at. */
const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/gzip': 'gz',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/markdown': 'md',
};

/** Converts the result of an MCP call for the model. Images, sounds and files become artifacts of the run. */
export async function storeResult(
  tool: string,
  { content, structuredContent, isError }: CallToolResult,
  { blobs, agent }: Pick<ToolContext, 'blobs' | 'agent'>,
): Promise<ToolReturn> {
  const lines: string[] = [];
  const events: SessionEvent[] = [];
  for (const part of readResult(content, structuredContent)) {
    if ('text' in part) {
      lines.push(part.text);
      continue;
    }
    if (events.length >= maxArtifacts) {
      lines.push(`[${part.what} left out: a result may have at most ${maxArtifacts} artifacts]`);
      continue;
    }
    const stored = await storePart(tool, part, { blobs, agent });
    lines.push(stored.line);
    if (stored.event !== undefined) events.push(stored.event);
  }
  return {
    message: lines.length === 0 ? '[The server returned no content.]' : lines.join('\n'),
    ...(isError === true ? { isError } : {}),
    ...(events.length === 0 ? {} : { events }),
  };
}

async function storePart(
  tool: string,
  { base64, mediaType, what }: Exclude<ResultPart, { readonly text: string }>,
  { blobs, agent }: Pick<ToolContext, 'blobs' | 'agent'>,
): Promise<{ readonly line: string; readonly event?: SessionEvent }> {
  const content = Buffer.from(base64, 'base64');
  if (content.length === 0) return { line: `[${what} left out: it is empty or not valid base64]` };
  const { hash, bytes } = await blobs.put(content, mediaType);
  // Named after its content, like other results, so that two calls never overwrite each other's.
  const name = `results/${tool}-${hash.slice(0, shortHash)}.${extensions[mediaType] ?? 'bin'}`;
  const value = { name, ref: { hash, bytes, mediaType }, by: agent };
  return {
    line: `[${what}, ${mediaType}, ${bytes} bytes: stored as artifact "${name}"]`,
    event: { type: 'artifactWritten', value },
  };
}
