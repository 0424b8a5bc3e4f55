import type { JSX } from 'preact';
import { agentPath, api, blobPath } from '../api';
import { Button } from '../components/button';
import { formatBytes, formatCount, shortId } from '../format';
import type { ArtifactsView } from '../protocol';
import { Missing } from '../shell/problem';
import { agentHref, followLink, goWithin } from '../state/place';
import { Code } from '../text/code-block';
import { languageOfFile } from '../text/code-colours';
import { HugeText } from '../text/huge-text';
import { jsonFields } from '../text/json-fields';
import { JsonView } from '../text/json-view';
import { maxColoured } from '../text/limits';
import { Markdown } from '../text/markdown';
import { VisibleText } from '../text/visible-text';
import { Loaded, useLoaded, useLoadedAgain } from './loaded';
import { saveFile } from './save-file';

type Artifact = ArtifactsView['artifacts'][number];

interface ArtifactsTabProps {
  readonly run: string;
  readonly path: string;
  /** Artifact that the address names. */
  readonly file: string | undefined;
}

/** Artifacts of the run, with those that were asked for and are missing. */
export function ArtifactsTab({ run, path, file }: ArtifactsTabProps): JSX.Element {
  const { data, again } = useLoaded<ArtifactsView>(agentPath(run, 'artifacts', { agent: path }));
  useLoadedAgain(again);
  return (
    <Loaded data={data} again={again}>
      {({ artifacts }) => (
        <>
          {file !== undefined && artifacts.every(({ name }) => name !== file) && <Missing what={`artifact ${file}`} />}
          {artifacts.length === 0 ? (
            <p class="empty-words">No artifact was written or asked for.</p>
          ) : (
            <Artifacts run={run} artifacts={artifacts} chosen={artifacts.find(({ name }) => name === file)} />
          )}
        </>
      )}
    </Loaded>
  );
}

interface ArtifactsProps {
  readonly run: string;
  readonly artifacts: readonly Artifact[];
  readonly chosen: Artifact | undefined;
}

function Artifacts({ run, artifacts, chosen }: ArtifactsProps): JSX.Element {
  return (
    <div class="artifacts">
      <table class="plain-table">
        <thead>
          <tr>
            <th>Name</th>
            <th>By</th>
            <th class="number">Turn</th>
            <th class="number">Size</th>
            <th>Expected</th>
            <th>
              <span class="visually-hidden">Open or save</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {artifacts.map((artifact) => (
            <ArtifactRow key={artifact.name} run={run} artifact={artifact} isOpen={artifact === chosen} />
          ))}
        </tbody>
      </table>
      {chosen !== undefined && <ArtifactText artifact={chosen} />}
    </div>
  );
}

/** A recording has no other bytes than the texts that it shows. */
function canSave({ text }: Artifact): boolean {
  return text !== null || api().recordedAt === null;
}

interface ArtifactRowProps {
  readonly run: string;
  readonly artifact: Artifact;
  readonly isOpen: boolean;
}

function ArtifactRow({ run, artifact, isOpen }: ArtifactRowProps): JSX.Element {
  const { name, path, turn, bytes, hash, isExpected } = artifact;
  const isMissing = hash === null && bytes === null;
  const save = async (): Promise<void> =>
    saveFile(name, artifact.text ?? (await api().getBytes(blobPath(run, hash ?? ''))));
  return (
    <tr class={isMissing ? 'missing' : ''}>
      <td class="mono">
        <VisibleText text={name} />
      </td>
      <td>{path === null ? '–' : <Writer run={run} path={path} turn={turn} />}</td>
      <td class="number">{turn ?? '–'}</td>
      <td class="number" title={bytes === null ? '' : `${formatCount(bytes)} bytes`}>
        {bytes === null ? '–' : formatBytes(bytes)}
      </td>
      <td>{isMissing ? <span class="missing-words">missing</span> : isExpected ? 'yes' : 'no'}</td>
      <td class="row-buttons">
        {!isMissing && (
          <>
            <Button
              kind="quiet"
              expanded={isOpen}
              label={`Open ${name}`}
              onClick={() => goWithin({ params: { f: isOpen ? undefined : name } })}
            >
              {isOpen ? 'close' : 'open'}
            </Button>
            {canSave(artifact) && (
              <Button kind="quiet" icon="save" label={`Save ${name}`} onClick={() => void save()} />
            )}
          </>
        )}
      </td>
    </tr>
  );
}

interface WriterProps {
  readonly run: string;
  readonly path: string;
  readonly turn: number | null;
}

function Writer({ run, path, turn }: WriterProps): JSX.Element {
  return (
    <a href={agentHref(run, path, turn === null ? {} : { t: String(turn) })} onClick={followLink}>
      {path === '' ? 'root' : shortId(path.slice(path.lastIndexOf('/') + 1))}
    </a>
  );
}

function ArtifactText({ artifact }: { readonly artifact: Artifact }): JSX.Element {
  const { name, text, mediaType } = artifact;
  if (text === null)
    return (
      <p class="empty-words">
        {name} is too large to show, or is not text. It {canSave(artifact) ? 'can be saved' : 'is not in this file'}.
      </p>
    );
  const isMarkdown = mediaType === 'text/markdown' || /\.md$/i.test(name);
  return (
    <article class="artifact-text" aria-label={name}>
      {isMarkdown ? (
        <Markdown text={text} />
      ) : jsonFields(text) !== undefined ? (
        <JsonView json={text} label={name} />
      ) : text.length > maxColoured ? (
        <HugeText text={text} />
      ) : (
        <pre class="plain-block" tabIndex={0}>
          <Code text={text} language={languageOfFile(name)} />
        </pre>
      )}
    </article>
  );
}
