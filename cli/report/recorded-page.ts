import type { Recording } from '../../page/protocol';
import { contentPolicy } from '../ui/http/page-file';

/**
 * Writes the page with a recording inside. It is the page of `baton ui`, except that it may not send any request. `<` is
 * escaped in the data, so that no text can end the element it is in.
 */
export function recordedPage(html: string, recording: Recording): string {
  const data = JSON.stringify(recording).replaceAll('<', '\\u003c');
  const policy = contentPolicy(html, "'none'");
  return html
    .replace('<!--policy-->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace('<!--recording-->', () => `<script type="application/json" id="recording">${data}</script>`);
}
