// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {GovernorCountingOverridable} from
    "@openzeppelin/contracts/governance/extensions/GovernorCountingOverridable.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {Votes} from "@openzeppelin/contracts/governance/utils/Votes.sol";
import {VotesExtended} from "@openzeppelin/contracts/governance/utils/VotesExtended.sol";

/// A token that remembers past balances and delegates, as overriding needs.
contract ExtendedToken is ERC20("Extended", "EXT"), EIP712("Extended", "1"), ERC20Votes, VotesExtended {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }

    function _delegate(address account, address to) internal override(Votes, VotesExtended) {
        super._delegate(account, to);
    }

    function _transferVotingUnits(address from, address to, uint256 amount)
        internal
        override(Votes, VotesExtended)
    {
        super._transferVotingUnits(from, to, amount);
    }
}

/// A governor whose delegators may vote over the heads of their delegates.
contract OverridableGovernor is Governor, GovernorVotes, GovernorCountingOverridable {
    constructor(IVotes token) Governor("Overridable") GovernorVotes(token) {}

    function votingDelay() public pure override returns (uint256) {
        return 2;
    }

    function votingPeriod() public pure override returns (uint256) {
        return 30;
    }

    function quorum(uint256) public pure override returns (uint256) {
        return 1;
    }
}
