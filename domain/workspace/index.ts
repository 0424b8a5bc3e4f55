// The files of a run: paths, trees, changes, and how changes are merged.
export { automaticEffect, changedCommands, manifestAt } from './automatic-files';
export {
  binaryMediaType,
  type ChangeConflict,
  type FileChange,
  fileChangeSchema,
  type FileState,
  mergeChanges,
  type WorkspaceFiles,
  workspaceFilesSchema,
  type WorkspaceState,
  workspaceStateSchema,
} from './changes';
export {
  foldWorkspaceActivity,
  type FoldWorkspaceInput,
  type MountProgress,
  mountProgressSchema,
  mountWorkspaceActivity,
  type MountWorkspaceInput,
} from './contract';
export { isExcludedPath, isProtectedPath } from './excluded-paths';
export {
  contentRef,
  decodeTree,
  encodeTree,
  type FileEntry,
  folderRef,
  type Tree,
  type TreeEntry,
  treeMediaType,
} from './file-tree';
export {
  byCodeUnit,
  foldersAbove,
  InvalidPathError,
  isPath,
  joinPath,
  maxPathBytes,
  nameProblem,
  NotInWorkspaceError,
  parseFolderPath,
  parsePath,
  PathClashError,
} from './path';
export { copyEndings, harmlessFiles, secretFiles } from './secret-files';
export {
  buildOverlay,
  type Overlay,
  type OverlayNode,
  type ResolvedPath,
  type WorkspaceEntry,
  type WorkspaceFile,
  type WorkspaceView,
} from './view';
