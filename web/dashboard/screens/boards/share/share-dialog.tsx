import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  BoardShare,
  CreateBoardShare,
  CreatedBoardShare,
  ManagedBoard,
} from '../../../../../contract/manage/boards.js';
import { useFormat } from '../../../format.js';
import { Dialog } from '../../../kit/dialog.js';
import { SelectField } from '../../../kit/form/choices.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { useForm } from '../../../kit/form/use-form.js';
import { Icon } from '../../../kit/icons.js';
import { showNotice } from '../../../kit/notice.js';
import { SecretDialog } from '../../../kit/secret.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { unlessGone } from '../../../reads/refusals.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { charsMax } from '../known.js';
import { boardsTexts } from '../texts.js';

type Shares = { items: readonly BoardShare[] };
type ShareProps = { board: ManagedBoard; onClose(): void };

/** The links to a board: makes one, and takes others away. */
export function ShareDialog({ board, onClose }: ShareProps) {
  const { slug } = usePage();
  const texts = useTexts(boardsTexts);
  const [made, setMade] = useState<CreatedBoardShare>();
  const [revoking, setRevoking] = useState<BoardShare>();
  const isRevoked = useRef(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const path = pagePath(slug, `/boards/${encodeURIComponent(board.slug)}/shares`);
  const read = useRead<Shares>(path);
  useEffect(() => {
    if (revoking !== undefined || !isRevoked.current) return;
    // The question has given the focus back to the button, which goes with the link.
    isRevoked.current = false;
    heading.current?.focus();
  }, [revoking]);
  if (made !== undefined) {
    return (
      <SecretDialog
        title={texts.linkMade({ name: made.name })}
        label={texts.copyLink}
        secret={made.url}
        uses={[{ title: texts.frame, text: frameOf(board, made.url) }]}
        onClose={() => setMade(undefined)}
      />
    );
  }
  return (
    <>
      <Dialog title={texts.shareTitle({ name: board.name })} onClose={onClose}>
        <div class="board-share">
          <p>{texts.shareWhy}</p>
          {board.variables.service !== undefined && <p class="board-warning">{texts.shareServices}</p>}
          <NewShare
            path={path}
            onMade={(share) => {
              setMade(share);
              read.retry();
            }}
          />
          <section class="board-shares">
            <h3 ref={heading} tabIndex={-1}>
              {texts.links}
            </h3>
            <ReadView
              read={read}
              skeleton={<Skeleton lines={2} />}
              isEmpty={({ items }) => items.length === 0}
              empty={<p class="note">{texts.noLinks}</p>}
            >
              {({ items }) => <ShareList items={items} onRevoke={setRevoking} />}
            </ReadView>
          </section>
        </div>
      </Dialog>
      {revoking !== undefined && (
        <RevokeShare
          {...{ share: revoking, path }}
          onRevoked={() => {
            isRevoked.current = true;
            read.retry();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

function frameOf({ name }: ManagedBoard, url: string): string {
  const title = name.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<iframe src="${url}" title="${title}" width="100%" height="800" style="border:0"></iframe>`;
}

const ends = ['never', '1', '7', '30', '365'] as const;
type End = (typeof ends)[number];
const dayMs = 86_400_000;

function NewShare({ path, onMade }: { path: string; onMade(share: CreatedBoardShare): void }) {
  const texts = useTexts(boardsTexts);
  const format = useFormat();
  const form = useForm<{ name: string; end: End }>({
    initial: { name: '', end: 'never' },
    required: ['name'],
    async send({ name, end }) {
      const until = end === 'never' ? undefined : new Date(Date.now() + Number(end) * dayMs).toISOString();
      const body: CreateBoardShare = { name: name.trim(), ...(until !== undefined && { expiresAt: until }) };
      onMade(await sendJson<CreatedBoardShare>('POST', path, body));
    },
  });
  return (
    <Form form={form} actions={<SubmitButton form={form}>{texts.makeLink}</SubmitButton>}>
      <div class="board-fields">
        <TextField
          label={texts.linkName}
          hint={texts.linkNameWhy}
          {...form.field('name')}
          input={{ dir: 'auto', maxLength: charsMax.name, autocomplete: 'off' }}
        />
        <SelectField
          label={texts.ends}
          options={ends.map((value) => ({
            value,
            title:
              value === 'never' ? texts.never : texts.endsIn({ span: format.span(Number(value) * 86_400) }),
          }))}
          value={form.values.end}
          onChoose={form.set('end')}
        />
      </div>
    </Form>
  );
}

type ListProps = Shares & { onRevoke(share: BoardShare): void };

function ShareList({ items, onRevoke }: ListProps) {
  const texts = useTexts(boardsTexts);
  const format = useFormat();
  return (
    <ul class="board-links">
      {items.map((share) => (
        <li key={share.id}>
          <div>
            <span dir="auto">{share.name}</span>
            <span class="note">
              {share.expiresAt === null ? texts.endsNever : sayEnd(share.expiresAt, texts, format)}
            </span>
          </div>
          <button
            type="button"
            class="button small"
            aria-label={texts.revokeLink({ name: share.name })}
            onClick={() => onRevoke(share)}
          >
            <Icon name="trash" />
            {texts.revoke}
          </button>
        </li>
      ))}
    </ul>
  );
}

type RevokeProps = { share: BoardShare; path: string; onRevoked(): void; onClose(): void };

/** Asks before a link ends for good: nobody gets its address a second time. */
function RevokeShare({ share: { id, name }, path, onRevoked, onClose }: RevokeProps) {
  const texts = useTexts(boardsTexts);
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', `${path}/${encodeURIComponent(id)}`).catch(unlessGone);
    showNotice(texts.revoked({ name }));
    onRevoked();
  };
  return (
    <Confirm
      title={texts.revokeTitle({ name })}
      action={texts.revoke}
      isDanger
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{texts.revokeWhy}</p>
    </Confirm>
  );
}

type SayEnd = { endsAt(values: { time: string }): string; ended(values: { time: string }): string };

function sayEnd(expiresAt: string, texts: SayEnd, { moment }: { moment(at: number): string }): string {
  const at = Date.parse(expiresAt);
  return at <= Date.now() ? texts.ended({ time: moment(at) }) : texts.endsAt({ time: moment(at) });
}
