import { useState } from 'preact/hooks';
import { type ContactWay, contactWayLimits } from '../../../../../contract/manage/contact-ways.js';
import { Icon } from '../../../kit/icons.js';
import { Empty, ReadView, Skeleton } from '../../../kit/states.js';
import type { ListAnswer } from '../../../reads/use-list.js';
import { useRead } from '../../../reads/use-read.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { Setting } from '../setting.js';
import { OneWay } from './one-way.js';
import { waysTexts } from './texts.js';
import { useRemoveWay } from './use-remove-way.js';
import { AddWay, ConfirmWay, EditWay, waysPath } from './way-dialogs.js';

type Open = { what: 'add' } | { what: 'edit' | 'confirm'; way: ContactWay };

/** The ways in which the person is told of alerts. */
export function Ways() {
  const texts = useTexts(waysTexts);
  const { me } = useSession();
  const read = useRead<ListAnswer<ContactWay>>(`${waysPath}?limit=200`, { everyMs: 30_000 });
  const [open, setOpen] = useState<Open>();
  const removal = useRemoveWay(read);
  const close = (): void => setOpen(undefined);
  /** An email or a phone that is not confirmed asks for its code at once. */
  const follow = (way: ContactWay): void => {
    read.retry();
    setOpen(way.confirmed ? undefined : { what: 'confirm', way });
  };
  const add = (
    <button type="button" class="button small" onClick={() => setOpen({ what: 'add' })}>
      <Icon name="plus" />
      {texts.add}
    </button>
  );
  return (
    <Setting title={texts.ways} note={texts.waysWhy}>
      <ReadView read={read} skeleton={<Skeleton lines={3} />}>
        {({ items }) => {
          const ways = items.filter(({ id }) => !removal.isRemoved(id));
          return ways.length === 0 ? (
            <Empty title={texts.none}>
              <p>{texts.noneWhy({ email: me.caller.email ?? '' })}</p>
              {add}
            </Empty>
          ) : (
            <>
              {!ways.some(({ confirmed }) => confirmed) && (
                <p class="note">{texts.noneWhy({ email: me.caller.email ?? '' })}</p>
              )}
              <ul class="session-list">
                {ways.map((way) => (
                  <OneWay
                    key={way.id}
                    way={way}
                    onTested={read.retry}
                    onEdit={() => setOpen({ what: 'edit', way })}
                    onConfirm={() => setOpen({ what: 'confirm', way })}
                    onRemove={() => removal.remove(way)}
                  />
                ))}
              </ul>
              {ways.length < contactWayLimits.waysPerPerson && (
                <div class="form-actions session-actions">{add}</div>
              )}
            </>
          );
        }}
      </ReadView>
      {open?.what === 'add' && <AddWay onClose={close} onCreated={follow} />}
      {open?.what === 'edit' && <EditWay id={open.way.id} onClose={close} onSaved={follow} />}
      {open?.what === 'confirm' && (
        <ConfirmWay
          way={open.way}
          onClose={close}
          onConfirmed={() => {
            read.retry();
            close();
          }}
        />
      )}
    </Setting>
  );
}
