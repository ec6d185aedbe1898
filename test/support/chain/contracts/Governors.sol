// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {GovernorCountingFractional} from
    "@openzeppelin/contracts/governance/extensions/GovernorCountingFractional.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";

/// A governor with fractional counting, on the clock of its token.
contract FractionalGovernor is Governor, GovernorVotes, GovernorCountingFractional {
    constructor(IVotes token) Governor("Fractional") GovernorVotes(token) {}

    /// 2 blocks, or the seconds of two and a half.
    function votingDelay() public view override returns (uint256) {
        return clock() == block.number ? 2 : 30;
    }

    /// 60 blocks, or the seconds of 50.
    function votingPeriod() public view override returns (uint256) {
        return clock() == block.number ? 60 : 600;
    }

    function quorum(uint256) public pure override returns (uint256) {
        return 4 ether;
    }
}

/// Says what GovernorAlpha says: nothing indexed, support as a truth value, no reasons.
contract AlphaEmitter {
    event ProposalCreated(
        uint256 id,
        address proposer,
        address[] targets,
        uint256[] values,
        string[] signatures,
        bytes[] calldatas,
        uint256 startBlock,
        uint256 endBlock,
        string description
    );
    event VoteCast(address voter, uint256 proposalId, bool support, uint256 votes);
    event ProposalExtended(uint256 indexed proposalId, uint64 extendedDeadline);
    event ProposalCanceled(uint256 id);
    event ProposalExecuted(uint256 id);

    function quorumVotes() external pure returns (uint256) {
        return 7 ether;
    }

    function propose(uint256 id, uint256 startBlock, uint256 endBlock, string calldata description) external {
        address[] memory targets = new address[](2);
        uint256[] memory values = new uint256[](2);
        string[] memory signatures = new string[](2);
        bytes[] memory calldatas = new bytes[](2);
        signatures[0] = "setFee(uint256)";
        calldatas[1] = hex"00ff";
        emit ProposalCreated(
            id, msg.sender, targets, values, signatures, calldatas, startBlock, endBlock, description
        );
    }

    function vote(uint256 id, bool support, uint256 votes) external {
        emit VoteCast(msg.sender, id, support, votes);
    }

    function extend(uint256 id, uint64 endBlock) external {
        emit ProposalExtended(id, endBlock);
    }

    function cancel(uint256 id) external {
        emit ProposalCanceled(id);
    }

    function execute(uint256 id) external {
        emit ProposalExecuted(id);
    }
}

/// Says what GovernorBravo says, and keeps the struct of ten words.
contract BravoEmitter {
    struct Proposal {
        uint256 id;
        address proposer;
        uint256 eta;
        uint256 startBlock;
        uint256 endBlock;
        uint256 forVotes;
        uint256 againstVotes;
        uint256 abstainVotes;
        bool canceled;
        bool executed;
    }

    mapping(uint256 => Proposal) public proposals;

    event ProposalCreated(
        uint256 id,
        address proposer,
        address[] targets,
        uint256[] values,
        string[] signatures,
        bytes[] calldatas,
        uint256 startBlock,
        uint256 endBlock,
        string description
    );
    event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 votes, string reason);
    event ProposalExecuted(uint256 id);

    function quorumVotes() external pure returns (uint256) {
        return 9 ether;
    }

    function propose(uint256 id, uint256 startBlock, uint256 endBlock, string calldata description) external {
        proposals[id] = Proposal(id, msg.sender, 0, startBlock, endBlock, 0, 0, 0, false, false);
        emit ProposalCreated(
            id,
            msg.sender,
            new address[](0),
            new uint256[](0),
            new string[](0),
            new bytes[](0),
            startBlock,
            endBlock,
            description
        );
    }

    function vote(uint256 id, uint8 support, uint256 votes, string calldata reason) external {
        Proposal storage proposal = proposals[id];
        if (support == 0) proposal.againstVotes += votes;
        else if (support == 1) proposal.forVotes += votes;
        else proposal.abstainVotes += votes;
        emit VoteCast(msg.sender, id, support, votes, reason);
    }

    /// Counts power that no log tells.
    function miscount(uint256 id) external {
        proposals[id].forVotes += 1 ether;
    }
}
