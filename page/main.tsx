// The page of `baton ui` and `baton report`, bundled by scripts/build-page.ts into one HTML file.
//
// - api.ts: every request. live/ asks the server, recorded/ answers from the data inside the page.
// - state/: signals. `place` is the address and the only way to go anywhere; `session` loads what it names and applies the
//   frames of the stream; `RunState` has one signal per agent, so that a change redraws one row.
// - shell/: header, needs-you bar, panes, keys, theme. runs/: the list of runs. tree/: agents and timeline.
// - detail/: the pane of the selected agent. It reads `shownRun`, `selectedPath` and `place`, and listens to `onFrame` for
//   entries. conversation/, text/ and incident/ belong to it.
// - components/ and format.ts: what all of them use. theme.css has the colours; no style is set by an attribute.
//
// Everything that a model, a tool or a file says is drawn as text nodes: nothing assigns innerHTML, and the
// Content-Security-Policy (`trusted-types 'none'`) would stop it.
// First, so that parts of the page can override it.
import './theme.css';
import './components/components.css';
import { render } from 'preact';
import { useApi } from './api';
import { liveApi } from './live/live-api';
import { findRecording, recordedApi } from './recorded/recorded-api';
import { App } from './shell/app';
import { startAttention } from './shell/attention';
import { startKeys } from './shell/keys';
import { startTheme } from './shell/theme';
import { formatAddress, parseAddress, takeKey } from './state/address';
import { startClock } from './state/clock';
import { connection } from './state/connection';
import { place, watchAddress } from './state/place';
import { loadAttention, loadHello, startSession } from './state/session';
import { startTree } from './tree/tree-state';

const keyName = 'baton.key';

/** Takes the key out of the address and keeps it for this origin, which includes the port. */
function readKey(): void {
  const found = takeKey(location.hash);
  if (found === undefined) return;
  localStorage.setItem(keyName, found.key);
  history.replaceState(null, '', found.rest);
  place.value = parseAddress(found.rest);
}

/** Draws the page. Exported so that the bundler takes this file for a module, and need not wrap the others. */
export function start(root: HTMLElement): void {
  const recording = findRecording();
  startTheme();
  if (recording === undefined) {
    readKey();
    const denied = (): void => {
      connection.value = { is: 'denied' };
    };
    useApi(liveApi(() => localStorage.getItem(keyName) ?? '', denied));
    startClock();
  } else {
    useApi(recordedApi(recording));
    const at = parseAddress(location.hash);
    const root = { page: 'run', run: recording.run.run.runId, path: '', params: {} } as const;
    place.value = at.page === 'run' ? at : root;
    history.replaceState(null, '', formatAddress(place.value));
  }
  watchAddress();
  addEventListener('hashchange', () => {
    // Somebody who had no access opens the printed address in the same tab.
    if (takeKey(location.hash) === undefined) return;
    readKey();
    location.reload();
  });
  startTree();
  startKeys();
  startAttention();
  render(<App />, root);
  void loadHello().then(startSession);
  void loadAttention();
}

const root = document.getElementById('page');
if (root !== null) start(root);
