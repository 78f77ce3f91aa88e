import { useState } from 'preact/hooks';
import type { CreatedManagedInvitation } from '../../../../contract/manage/people.js';
import type { PageRole } from '../../../../contract/permissions.js';
import { useFormat } from '../../format.js';
import { CopyButton } from '../../kit/copy-button.js';
import { Dialog } from '../../kit/dialog.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { RoleChoice } from './role-choice.js';
import { peopleTexts } from './texts.js';

type Values = { email: string; role: PageRole };
const usual: Values = { email: '', role: 'viewer' };

/** Invites an address, and then shows the link once. */
export function Invite({ onInvited, onClose }: { onInvited(): void; onClose(): void }) {
  const texts = useTexts(peopleTexts);
  const [made, setMade] = useState<CreatedManagedInvitation>();
  return made === undefined ? (
    <Dialog title={texts.invite} onClose={onClose} isWide>
      <InviteForm
        onClose={onClose}
        onMade={(created) => {
          setMade(created);
          onInvited();
        }}
      />
    </Dialog>
  ) : (
    <Invited made={made} onClose={onClose} />
  );
}

type InviteFormProps = { onMade(created: CreatedManagedInvitation): void; onClose(): void };

function InviteForm({ onMade, onClose }: InviteFormProps) {
  const texts = useTexts(peopleTexts);
  const { slug } = usePage();
  const form = useForm<Values>({
    initial: usual,
    keptAs: `${slug} invitation`,
    required: ['email'],
    async send({ email, role }) {
      const path = pagePath(slug, '/invitations');
      onMade(await sendJson<CreatedManagedInvitation>('POST', path, { email: email.trim(), role }));
    },
  });
  return (
    <Form form={form} actions={<FormButtons action={texts.invite} form={form} onClose={onClose} />}>
      <TextField
        label={texts.email}
        hint={texts.emailWhy}
        {...form.field('email')}
        input={{ autocomplete: 'off', inputMode: 'email', spellcheck: false }}
      />
      <RoleChoice value={form.values.role} onChoose={form.set('role')} />
    </Form>
  );
}

function Invited({ made, onClose }: { made: CreatedManagedInvitation; onClose(): void }) {
  const texts = useTexts(peopleTexts);
  const kit = useTexts(kitTexts).secret;
  const format = useFormat();
  return (
    <Dialog title={texts.invited({ email: made.email })} onClose={onClose} isWide isKept>
      <div class="secret-dialog">
        <p class="secret-once">{kit.once}</p>
        <p>
          {made.isMailed ? texts.mailed : texts.notMailed}{' '}
          {texts.worksUntil({ moment: format.moment(Date.parse(made.expiresAt)) })}
        </p>
        <div class="secret-line">
          <code class="secret">{made.url}</code>
          <CopyButton text={made.url} label={texts.link} />
        </div>
        <div class="form-actions end">
          <button type="button" class="button" onClick={onClose}>
            {kit.saved}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
