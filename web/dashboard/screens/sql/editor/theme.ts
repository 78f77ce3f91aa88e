import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Custom properties reach into the shadow root, so that the editor follows the theme of the page. */
export const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.55',
    minHeight: '11rem',
    maxHeight: 'min(28rem, 55vh)',
  },
  '.cm-content': { padding: '0.625rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.75rem 0 0.5rem' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--soft)',
    border: 'none',
    paddingLeft: '0.25rem',
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-placeholder': { color: 'var(--soft)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--chosen)',
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-tint)', color: 'var(--bad-ink)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    backgroundColor: 'var(--bad-tint)',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '0.25em',
    paddingBottom: '0',
  },
  '.cm-tooltip': {
    maxWidth: 'min(26rem, 90vw)',
    border: '1px solid var(--edge)',
    borderRadius: '0.5rem',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    boxShadow: '0 12px 32px #0000002e',
    overflow: 'hidden',
  },
  '.cm-tooltip .cm-diagnostic': { borderLeft: 'none', padding: '0.375rem 0.625rem', fontFamily: 'system-ui' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    maxHeight: '16rem',
    padding: '0.25rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: '1rem',
    padding: '0.25rem 0.5rem',
    borderRadius: '0.375rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--chosen)',
    color: 'var(--ink)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal', marginLeft: 'auto' },
  '.cm-completionInfo': { padding: '0.5rem 0.625rem', fontFamily: 'system-ui', lineHeight: '1.4' },
});

export const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--good-ink)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn-ink)' },
    { tag: tags.standard(tags.name), color: 'var(--info-ink)' },
    { tag: tags.typeName, color: 'var(--info-ink)' },
    { tag: [tags.lineComment, tags.blockComment], color: 'var(--soft)', fontStyle: 'italic' },
  ]),
);
