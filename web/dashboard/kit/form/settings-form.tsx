import type { ComponentChildren } from 'preact';
import { useTexts } from '../../texts.js';
import { Panel } from '../panel.js';
import { kitTexts } from '../texts.js';
import { Form } from './form.js';
import { SubmitButton } from './form-buttons.js';
import type { Editor } from './use-editor.js';

type SettingsFormProps<V extends object> = {
  editor: Editor<V>;
  title: string;
  note: string;
  isReadOnly: boolean;
  /** The fields. */
  children: ComponentChildren;
};

/** A panel with settings that are saved together. */
export function SettingsForm<V extends object>(props: SettingsFormProps<V>) {
  const { editor, title, note, isReadOnly, children } = props;
  const kit = useTexts(kitTexts);
  const actions = (
    <>
      <SubmitButton form={editor} needsChange>
        {kit.save}
      </SubmitButton>
      {editor.isChanged && (
        <>
          <button type="button" class="button small" onClick={editor.discard}>
            {kit.discard}
          </button>
          <span class="note">{kit.changed}</span>
        </>
      )}
    </>
  );
  return (
    <Panel title={title} note={note}>
      <Form form={editor} actions={!isReadOnly && actions}>
        <fieldset class="form" disabled={isReadOnly}>
          <legend class="visually-hidden">{title}</legend>
          {children}
        </fieldset>
      </Form>
    </Panel>
  );
}
