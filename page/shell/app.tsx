import type { VNode } from 'preact';
import { RunPage } from '../run/run-page';
import { RunsPage } from '../runs/runs-page';
import { connection } from '../state/connection';
import { place } from '../state/place';
import { Banner } from './banner';
import { GoTo } from './go-to';
import { Header } from './header';
import { KeyTable } from './key-table';
import { LiveRegion } from './live-region';
import { NeedsYou } from './needs-you';
import './shell.css';

/** The whole page. */
export function App(): VNode {
  const isDenied = connection.value.is === 'denied';
  return (
    <>
      <a
        class="skip"
        href="#/"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header />
      <Banner />
      {isDenied ? null : <NeedsYou />}
      <main id="main" tabIndex={-1}>
        {isDenied ? <NoAccess /> : place.value.page === 'run' ? <RunPage /> : <RunsPage />}
      </main>
      <KeyTable />
      <GoTo />
      <LiveRegion />
    </>
  );
}

function NoAccess(): VNode {
  return (
    <div class="run-problem">
      <h1>No access</h1>
      <p>
        This address has no valid key. Use the one that <code>baton ui</code> printed.
      </p>
    </div>
  );
}
