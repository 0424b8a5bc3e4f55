import { pageFile, readPageFile } from '../../../cli/ui/http/page-file';
import { startUiServer, type UiServer, type UiServerOptions } from '../../../cli/ui/http/ui-server';
import type { PageSource } from '../../../cli/ui/page-source';
import type { GeneratedOptions } from './generated-run';
import { GeneratedSource } from './generated-source';

/** Is served instead of the page where a test needs none, or before it is built. */
const placeholder =
  '<!doctype html><title>baton</title><style>p{margin:0}</style><script>"use strict"</script><p>not built</p>';

/** Starts the page's server on any port. Close it at the end. */
export function startUiOn(source: PageSource, options: Partial<UiServerOptions> = {}): Promise<UiServer> {
  const page = readPageFile() ?? pageFile(placeholder);
  return startUiServer(source, { page, version: '0.0.0-test', port: 0, ...options });
}

/** Creates a source of generated runs, which tests can push live changes into. */
export function generatedSource(...runs: readonly GeneratedOptions[]): GeneratedSource {
  return new GeneratedSource(runs.length === 0 ? [{}] : runs);
}
