// What the tabs of one account send each other: events made, receipts that came, the state of sending.
const NAME = "workbench-desk-";

export function openChannel(account, onMessage) {
  if (!("BroadcastChannel" in window)) return { send() {} };
  const channel = new BroadcastChannel(NAME + account);
  channel.onmessage = ({ data }) => onMessage(data);
  return { send: (message) => channel.postMessage(message) };
}
