/** What an agent may ask of a box. The owner generation that it acts under is the host's to add. */
import type { Answer, ControlRequest, ReadRequest } from "#wire/device.ts";
import type { Holder } from "./holder.ts";
import type { BoxLease } from "./lease.ts";

type Act<Type extends ControlRequest["type"]> = Omit<Extract<ControlRequest, { type: Type }>, "owner">;
export type AgentRequest = ReadRequest | Act<"control"> | Act<"input"> | Act<"open">;

/** Reads pass; an act takes control from nobody, and is refused while a person has it. Rejects with DeviceError. */
export async function askAsAgent(lease: BoxLease, holder: Holder, request: AgentRequest): Promise<Answer> {
  switch (request.type) {
    case "control":
      // The server lets an install through for an app that the device does not have.
      if (request.control.action === "install" && holder.owner.holder === "person") {
        return lease.request({ ...request, owner: holder.owner.generation });
      }
      return lease.request({ ...request, owner: await holder.agent() });
    case "input":
      return lease.request({ ...request, owner: await holder.agent() });
    case "open":
      return lease.request({ ...request, owner: await holder.agent() });
    default:
      return lease.request(request);
  }
}
