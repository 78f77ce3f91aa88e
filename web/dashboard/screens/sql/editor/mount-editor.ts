import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, LanguageSupport } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder, tooltips } from '@codemirror/view';
import { completeFrom, type PageFunctions } from './complete.js';
import { dialectOf, type Schema } from './dialect.js';
import type { Fault } from './fault.js';
import { highlighting, theme } from './theme.js';

export type EditorOptions = {
  text: string;
  /** Names the field. */
  label: string;
  placeholder: string;
  onChange(text: string): void;
  onRun(): void;
  onSave(): void;
};

/** The field that SQL is written in. */
export type Editor = {
  /** Puts a text in place of all, which Undo reverts; `at` is where the cursor is then. */
  replace(text: string): void;
  /** Puts a text in place of the selection. */
  insert(text: string): void;
  /** Returns the selected text and its start; `undefined` without a selection. */
  selection(): { text: string; from: number } | undefined;
  /** Underlines a fault until the text changes; `undefined` removes the mark. */
  mark(fault: Fault | undefined): void;
  /** Sets the tables and functions that completion offers, and how functions of pages are called. */
  use(schema: Schema, pageFunctions: PageFunctions): void;
  /** Closes the list of completions, and begins none for what was typed last. */
  closeList(): void;
  /** Puts the cursor at an index. */
  focus(at?: number): void;
  destroy(): void;
};

/**
 * Mounts the editor in a shadow root of `host`: its styles are sheets that scripts adopt there, which a strict policy
 * for styles allows. Tab leaves the field, as from any other.
 */
export function mountEditor(host: HTMLElement, options: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const language = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [keysOf(options), language.of([]), fieldOf(options), theme, highlighting],
    }),
  });
  return {
    replace(text) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        scrollIntoView: true,
      });
    },
    insert(text) {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    selection() {
      const { from, to } = view.state.selection.main;
      return from === to ? undefined : { from, text: view.state.sliceDoc(from, to) };
    },
    mark(fault) {
      const diagnostics = fault === undefined ? [] : [diagnosticOf(view.state, fault)];
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    use(schema, pageFunctions) {
      const dialect = dialectOf(schema);
      const completion = dialect.language.data.of({ autocomplete: completeFrom(schema, pageFunctions) });
      view.dispatch({
        effects: language.reconfigure(new LanguageSupport(dialect.language, [completion])),
      });
    },
    closeList: () => void closeCompletion(view),
    focus(at) {
      if (at !== undefined) view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

function keysOf({ onRun, onSave }: EditorOptions) {
  const run = (work: () => void) => () => {
    work();
    return true;
  };
  return [
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run: run(onRun) },
        { key: 'Mod-s', run: run(onSave), preventDefault: true },
      ]),
    ),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
  ];
}

function fieldOf({ label, placeholder: hint, onChange }: EditorOptions) {
  return [
    history(),
    lineNumbers(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false, maxRenderedOptions: 60 }),
    // Fixed, so that the list may reach beyond the edges of the panel.
    tooltips({ position: 'fixed' }),
    placeholder(hint),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    }),
  ];
}

/**
 * Types over a selection. The browser would keep the style of what was there in an attribute, which the policy forbids.
 */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { data } = event;
  const { from, to, empty } = view.state.selection.main;
  if (event.inputType !== 'insertText' || data === null || empty || view.composing) return false;
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  const isHandled = view.state
    .facet(EditorView.inputHandler)
    .some((handle) => handle(view, from, to, data, insert));
  if (!isHandled) view.dispatch(insert());
  event.preventDefault();
  return true;
}

/** A fault is a place; the word there is underlined, or the last character before the end of the text. */
function diagnosticOf(state: EditorState, { index, message }: Fault) {
  const at = Math.min(index, state.doc.length);
  const word = /^[\p{L}\p{N}_$]+/u.exec(state.sliceDoc(at, at + 200))?.[0].length ?? 1;
  const to = Math.min(at + word, state.doc.length);
  return { from: Math.max(0, Math.min(at, to - 1)), to, severity: 'error' as const, message };
}
