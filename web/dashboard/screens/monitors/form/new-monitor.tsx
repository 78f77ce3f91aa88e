import { useState } from 'preact/hooks';
import type { CreatedMonitor, ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { isProbed, type MonitorKind, monitorKinds } from '../../../../../contract/monitors.js';
import { proposeSlug } from '../../../../../lib/slug.js';
import { useAddress } from '../../../address/use-address.js';
import { Segments } from '../../../kit/form/choices.js';
import { useForm } from '../../../kit/form/use-form.js';
import { showNotice } from '../../../kit/notice.js';
import { SecretDialog } from '../../../kit/secret.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { findProblems, wordRefusal } from './find-problems.js';
import { MonitorForm } from './monitor-form.js';
import { formTexts } from './texts.js';
import { useRangeText } from './use-range-text.js';
import { useTrial } from './use-trial.js';
import { useTriedSave } from './use-tried-save.js';
import { bodyOfNew, emptyValues, type MonitorValues, secretFields, valuesOf } from './values.js';

type Created = ManagedMonitor & Pick<CreatedMonitor, 'url'>;

/** A new monitor of the kind that the address names; `copy` names one whose settings it begins with. */
export function NewMonitor({ kind, copy }: { kind: MonitorKind; copy: string | undefined }) {
  const { slug } = usePage();
  const texts = useTexts(formTexts);
  const path = copy === undefined ? undefined : pagePath(slug, `/monitors/${encodeURIComponent(copy)}`);
  const read = useRead<ManagedMonitor>(path);
  if (path === undefined) return <Create kind={kind} initial={emptyValues} keptAs="new monitor" />;
  return (
    <ReadView read={read} skeleton={<Skeleton lines={9} />}>
      {(monitor) => (
        <Create
          kind={monitor.type}
          initial={copyOf(monitor, texts.copyOf({ name: monitor.name }))}
          keptAs={`copy of ${monitor.slug}`}
          note={monitor.hasSecrets === true ? texts.copyWhy : undefined}
        />
      )}
    </ReadView>
  );
}

function copyOf(monitor: ManagedMonitor, name: string): MonitorValues {
  return {
    ...valuesOf(monitor),
    ...{ name, slug: proposeSlug(`${monitor.slug} copy`), names: {} },
    ...{ headers: emptyValues.headers, body: emptyValues.body },
  };
}

type CreateProps = {
  kind: MonitorKind;
  initial: MonitorValues;
  keptAs: string;
  /** Names the settings that a copy lacks. Only a copy has a note, and its kind already. */
  note?: string | undefined;
};

function Create({ kind, initial, keptAs, note }: CreateProps) {
  const { slug } = usePage();
  const { path, to, replace } = useAddress();
  const texts = useTexts(formTexts);
  const sayRange = useRangeText();
  const [heartbeat, setHeartbeat] = useState<Created>();
  const check = (values: MonitorValues) => findProblems(kind, values, texts, sayRange);
  const show = (created: Created): void => {
    replace({ new: undefined, copy: undefined, monitor: created.slug });
    showNotice(
      created.type === 'manual'
        ? texts.createdManual({ name: created.name })
        : texts.created({ name: created.name }),
    );
  };
  const form = useForm<MonitorValues>({
    ...{ initial, keptAs, unkept: secretFields, check },
    word: (_, code) => wordRefusal(code, texts),
    async send(values) {
      const created = await sendJson<Created>('POST', pagePath(slug, '/monitors'), bodyOfNew(kind, values));
      if (created.type === 'heartbeat') setHeartbeat(created);
      else show(created);
    },
  });
  const trial = useTrial(kind, form.values);
  const wrong = check(form.values);
  const save = useTriedSave({ form, trial: isProbed(kind) ? trial : undefined, wrong });
  return (
    <>
      <MonitorForm
        {...{ kind, form, trial, save, wrong }}
        action={texts.create}
        actionAnyway={texts.createAnyway}
        cancelPath={to(path)}
        note={note}
        choice={keptAs === 'new monitor' && <KindChoice kind={kind} />}
      />
      {heartbeat?.url && (
        <PingDialog monitor={heartbeat} url={heartbeat.url} onClose={() => show(heartbeat)} />
      )}
    </>
  );
}

function KindChoice({ kind }: { kind: MonitorKind }) {
  const { replace } = useAddress();
  const texts = useTexts(formTexts);
  return (
    <div class="kind-choice">
      <Segments
        label={texts.kind}
        options={monitorKinds.map((value) => ({ value, title: texts.kinds[value] }))}
        value={kind}
        onChoose={(chosen) => replace({ new: chosen })}
      />
      <p class="note">{texts.kindsWhy[kind]}</p>
    </div>
  );
}

type PingDialogProps = { monitor: Pick<ManagedMonitor, 'name'>; url: string; onClose(): void };

/** The address that a job calls, once, with the lines that call it. */
function PingDialog({ monitor, url, onClose }: PingDialogProps) {
  const texts = useTexts(formTexts);
  const { pingUses } = texts;
  const curl = `curl -fsS --retry 3 ${url}`;
  return (
    <SecretDialog
      title={texts.pingTitle({ name: monitor.name })}
      label={texts.ping}
      secret={url}
      uses={[
        { title: pingUses.curl, text: curl },
        { title: pingUses.cron, text: `0 3 * * *  backup.sh && ${curl}` },
        {
          title: pingUses.node,
          text: `await fetch('${url}', { method: 'POST', signal: AbortSignal.timeout(10_000) });`,
        },
        { title: pingUses.env, text: `HEARTBEAT_URL=${url}` },
      ]}
      onClose={onClose}
    />
  );
}
