import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { agentPath } from '../api';
import { Button } from '../components/button';
import { CommandLine } from '../components/copy';
import { Icon } from '../components/icon';
import { plural, shortId } from '../format';
import type { FilesView } from '../protocol';
import { Missing } from '../shell/problem';
import { agentHref, followLink, goWithin } from '../state/place';
import { VisibleText } from '../text/visible-text';
import { DiffView } from './diff-view';
import { Loaded, useLoaded, useLoadedAgain } from './loaded';

type ChangedFile = FilesView['files'][number];

interface FilesTabProps {
  readonly run: string;
  readonly path: string;
  /** File that the address names. */
  readonly file: string | undefined;
}

/** Kept while the page is open. */
const columns = signal<1 | 2>(1);
const letters = { added: 'A', changed: 'M', deleted: 'D' } as const;

/** Files that the run changed, as diffs. This tab writes nothing: it gives commands to copy. */
export function FilesTab({ run, path, file }: FilesTabProps): JSX.Element {
  const { data, again } = useLoaded<FilesView>(agentPath(run, 'files', { agent: path }));
  useLoadedAgain(again);
  return (
    <Loaded data={data} again={again}>
      {({ files }) => (
        <>
          {file !== undefined && files.every((each) => each.path !== file) && <Missing what={`changed file ${file}`} />}
          {files.length === 0 ? (
            <p class="empty-words">No file was changed.</p>
          ) : (
            <Files run={run} files={files} chosen={files.find((each) => each.path === file) ?? files[0]} />
          )}
        </>
      )}
    </Loaded>
  );
}

interface FilesProps {
  readonly run: string;
  readonly files: readonly ChangedFile[];
  readonly chosen: ChangedFile | undefined;
}

function Files({ run, files, chosen }: FilesProps): JSX.Element {
  const sum = (field: 'added' | 'removed'): number => files.reduce((total, each) => total + each[field], 0);
  return (
    <div class="files">
      <nav class="file-list" aria-label="Changed files">
        <p class="list-title">
          {plural(files.length, 'file')} <Lines added={sum('added')} removed={sum('removed')} />
        </p>
        {files.map((each) => (
          <FileRow key={each.path} file={each} isChosen={each === chosen} />
        ))}
      </nav>
      {chosen !== undefined && <FileDetail run={run} file={chosen} />}
      <footer class="files-footer">
        <CommandLine line={`baton diff ${run}`} />
        <CommandLine line={`baton apply ${run}`} />
        <span class="muted">The page itself writes nothing.</span>
      </footer>
    </div>
  );
}

function FileRow({ file, isChosen }: { readonly file: ChangedFile; readonly isChosen: boolean }): JSX.Element {
  return (
    <button
      type="button"
      class="file-row"
      aria-current={isChosen ? 'true' : undefined}
      title={file.path}
      onClick={() => goWithin({ params: { f: file.path } })}
    >
      <span class={`file-letter file-${file.change}`} title={file.change}>
        {letters[file.change]}
      </span>
      <span class="file-path">
        <VisibleText text={file.path} />
      </span>
      {file.lost > 0 && (
        <span class="file-lost">
          <Icon name="warning" /> lost change
        </span>
      )}
      <Lines added={file.added} removed={file.removed} />
    </button>
  );
}

function Lines({ added, removed }: { readonly added: number; readonly removed: number }): JSX.Element {
  return (
    <span class="line-counts" aria-label={`${plural(added, 'line')} added, ${removed} removed`}>
      {added > 0 && <span class="added">+{added}</span>} {removed > 0 && <span class="removed">−{removed}</span>}
    </span>
  );
}

function FileDetail({ run, file }: { readonly run: string; readonly file: ChangedFile }): JSX.Element {
  return (
    <div class="file-detail">
      <header class="file-header">
        <h3>
          <VisibleText text={file.path} />
        </h3>
        <Lines added={file.added} removed={file.removed} />
        <Writers run={run} file={file} />
        <span class="column-choice" role="group" aria-label="Layout">
          <Button pressed={columns.value === 1} onClick={() => (columns.value = 1)}>
            1 column
          </Button>
          <Button pressed={columns.value === 2} onClick={() => (columns.value = 2)}>
            2 columns
          </Button>
        </span>
      </header>
      {file.lost > 0 && (
        <p class="lost-words">
          <Icon name="warning" /> {plural(file.lost, 'change')} of another agent {file.lost === 1 ? 'was' : 'were'}{' '}
          replaced by a later one.
        </p>
      )}
      {file.runs !== null && (
        <p class="lost-words">
          <Icon name="warning" /> <VisibleText text={file.runs} />
        </p>
      )}
      {file.hunks === null ? (
        <p class="empty-words">This file is not text.</p>
      ) : (
        <DiffView hunks={file.hunks} columns={columns.value} />
      )}
    </div>
  );
}

/** Who changed the file, in order. */
function Writers({ run, file }: { readonly run: string; readonly file: ChangedFile }): JSX.Element | null {
  if (file.writers.length === 0) return null;
  return (
    <span class="writers">
      {file.writers.map(({ path, turn }, index) => (
        <span key={index}>
          {index > 0 && ', then '}
          <a href={agentHref(run, path, turn === null ? {} : { t: String(turn) })} onClick={followLink}>
            {path === '' ? 'root' : shortId(path.slice(path.lastIndexOf('/') + 1))}
            {turn !== null && ` turn ${turn}`}
          </a>
        </span>
      ))}
    </span>
  );
}
