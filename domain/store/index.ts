// The store port, which drivers implement, and the references to what is stored.
export { formatPlace, isSamePlace, type RunPlace, runPlaceSchema } from './run-place';
export {
  BlobCorruptError,
  BlobMissingError,
  type BlobRef,
  blobRefSchema,
  inlineTextBytes,
  isStoreTrouble,
  maxPayloadBytes,
  mediaTypes,
  type RunStore,
  type SpilledText,
  spilledTextSchema,
  type Store,
  type StoreCheck,
  type StoredRun,
  StoreError,
  StoreFullError,
  type StoreLocation,
  storeLocationSchema,
  StoreUnavailableError,
  WrongStoreError,
} from './store';
