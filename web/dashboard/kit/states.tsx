import type { ComponentChildren } from 'preact';
import { useFormat } from '../format.js';
import type { ReadError } from '../reads/fetch-json.js';
import type { Read } from '../reads/use-read.js';
import { useTexts } from '../texts.js';
import { Icon } from './icons.js';
import { kitTexts } from './texts.js';

/**
 * Grey shapes where the data will stand; `lines` and `height` give the shape of what is loading. Screen readers pass over
 * them: a screen has many, and each would speak.
 */
export function Skeleton({ lines = 3, height }: { lines?: number; height?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {height !== undefined ? (
        <span class="skeleton-block" style={{ height: `${height}px` }} />
      ) : (
        Array.from({ length: lines }, (_, i) => <span key={i} class="skeleton-line" />)
      )}
    </div>
  );
}

type EmptyProps = {
  title: string;
  /** Level of the heading: 1 in place of a whole screen, 2 in place of its panels, 3 within a panel. */
  level?: 1 | 2 | 3;
  children?: ComponentChildren;
};

/** Says that there is nothing yet, what the place is for, and what fills it. */
export function Empty({ title, level = 3, children }: EmptyProps) {
  const Heading = `h${level}` as const;
  return (
    <div class="empty">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

/** An error, and a button that tries again. */
export function ErrorNotice({ error, retry }: { error: ReadError; retry?: (() => void) | undefined }) {
  const texts = useTexts(kitTexts);
  return (
    <div class="error-notice" role="alert">
      <Icon name="warning" />
      <p>{sentenceOf(error, texts)}</p>
      {retry !== undefined && (
        <button type="button" class="button small" onClick={retry}>
          {texts.retry}
        </button>
      )}
    </div>
  );
}

/** The sentence of the service, which names what is wrong; ours where the reader's language says it better. */
function sentenceOf({ status, message }: ReadError, texts: (typeof kitTexts)['en']): string {
  if (status === 0) return texts.offline;
  if (status === 429) return texts.busy;
  if (status === 503) return texts.unavailable;
  if (status === 404) return texts.notFound;
  return message === '' ? texts.failed : message;
}

type ReadViewProps<T> = {
  read: Read<T>;
  /** Drawn until there is data; lines by default. */
  skeleton?: ComponentChildren;
  /** Drawn in place of the children when this says that there is nothing. */
  isEmpty?: (data: T) => boolean;
  empty?: ComponentChildren;
  children(data: T): ComponentChildren;
};

/**
 * The four states of a part of a screen. A read that fails after one that succeeded keeps what is drawn, and says when
 * that was.
 */
export function ReadView<T>({ read, skeleton = <Skeleton />, isEmpty, empty, children }: ReadViewProps<T>) {
  const { data, error, isOlder } = read;
  if (data === undefined) {
    return error === undefined ? (
      <div class="read-view" aria-busy="true">
        {skeleton}
      </div>
    ) : (
      <ErrorNotice error={error} retry={read.retry} />
    );
  }
  const isNothing = isEmpty?.(data) === true;
  return (
    <div class={isOlder ? 'read-view older' : 'read-view'} aria-busy={isOlder}>
      {error !== undefined && <Stale read={read} error={error} />}
      {isNothing ? empty : children(data)}
    </div>
  );
}

type StaleProps = { read: Pick<Read<unknown>, 'at' | 'retry'>; error: ReadError };

/** Says that a read failed and that the drawn data is older. */
export function Stale({ read: { at, retry }, error }: StaleProps) {
  const texts = useTexts(kitTexts);
  const format = useFormat();
  return (
    <p class="stale" role="status">
      <Icon name="warning" />
      {sentenceOf(error, texts)} {at !== undefined && texts.asOf({ time: format.clock(at) })}
      <button type="button" class="link-button" onClick={retry}>
        {texts.retry}
      </button>
    </p>
  );
}

/** A line for a read that adds to a screen, and failed: the screen is useful without it. */
export function FailedAddition<T>({ read, children }: { read: Read<T>; children: ComponentChildren }) {
  const texts = useTexts(kitTexts);
  if (read.error === undefined || (read.data !== undefined && !read.isOlder)) return null;
  return (
    <p class="stale" role="status">
      <Icon name="warning" />
      {children}
      <button type="button" class="link-button" onClick={read.retry}>
        {texts.retry}
      </button>
    </p>
  );
}
